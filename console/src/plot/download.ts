import type { Row } from '../live/shown.ts'
import { csvOf } from './csv.ts'
import { joined } from './lines.ts'
import { inks, type Scheme } from './options.ts'
import { unitOf } from './rows.ts'
import type { Plot } from './use-plot.ts'

/** Gives a file to the browser to save. */
export function download(name: string, file: Blob): void {
  const url = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  // The browser has read it by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000)
}

/** What is shown: a column for each line, or one for each method of it. */
export function plotCsv(plot: Plot, rows: readonly Row[], zone: string): Blob {
  const { from, to } = plot.span
  const visible = plot.lines.map((line) => ({
    ...line,
    points: line.points.filter(({ time }) => time >= from && time <= to)
  }))
  const { times, columns } = joined(visible)
  const methods = plot.isRaw ? (['value'] as const) : (['value', 'min', 'max'] as const)
  const named = rows.flatMap((row, i) =>
    methods.map((method) => ({
      name: [
        unitOf(row) ? `${row.name} (${unitOf(row)})` : row.name,
        row.short,
        ...(plot.isRaw ? [] : [method === 'value' ? 'mean' : method])
      ].join(' '),
      cells: columns[i]?.[method] ?? []
    }))
  )
  // Programs for tables know UTF-8 by this mark.
  return new Blob(['\ufeff', csvOf(times, named, zone)], { type: 'text/csv;charset=utf-8' })
}

export type LegendEntry = { name: string; color: string; dash: readonly number[] }
type Picture = { title: string; legend: readonly LegendEntry[]; scheme: Scheme }

const PAD = 16
const TITLE_PX = 40
const ROW_PX = 22
const MARK_PX = 20

/** The canvas with a title above and a legend below it, on the ground of the theme. */
export async function plotPng(
  canvas: HTMLCanvasElement,
  { title, legend, scheme }: Picture
): Promise<Blob | null> {
  const ratio = canvas.width / (canvas.clientWidth || canvas.width)
  const made = document.createElement('canvas')
  const pen = made.getContext('2d')
  if (!pen) return null
  const width = canvas.clientWidth + 2 * PAD
  const font = getComputedStyle(document.body).fontFamily
  pen.font = `13px ${font}`
  const places = placed(legend, width - 2 * PAD, (text) => pen.measureText(text).width)
  const legendRows = (places.at(-1)?.row ?? 0) + 1
  made.width = width * ratio
  made.height = (canvas.clientHeight + TITLE_PX + legendRows * ROW_PX + 2 * PAD) * ratio
  pen.scale(ratio, ratio)
  const { panel, ink } = inks[scheme]
  pen.fillStyle = panel
  pen.fillRect(0, 0, made.width, made.height)
  pen.fillStyle = ink
  pen.textBaseline = 'middle'
  pen.font = `600 15px ${font}`
  pen.fillText(title, PAD, PAD + TITLE_PX / 2 - 4, width - 2 * PAD)
  pen.drawImage(canvas, PAD, PAD + TITLE_PX, canvas.clientWidth, canvas.clientHeight)
  pen.font = `13px ${font}`
  const top = PAD + TITLE_PX + canvas.clientHeight + ROW_PX / 2 + 4
  for (const { entry, left, row } of places) {
    const y = top + row * ROW_PX
    pen.strokeStyle = entry.color
    pen.lineWidth = 3
    pen.setLineDash([...entry.dash])
    pen.beginPath()
    pen.moveTo(PAD + left, y)
    pen.lineTo(PAD + left + MARK_PX, y)
    pen.stroke()
    pen.fillText(entry.name, PAD + left + MARK_PX + 6, y, width - 2 * PAD - left - MARK_PX - 6)
  }
  return new Promise((resolve) => made.toBlob(resolve, 'image/png'))
}

/** One after another, in as many rows as are needed. */
function placed(
  legend: readonly LegendEntry[],
  width: number,
  measure: (text: string) => number
): { entry: LegendEntry; left: number; row: number }[] {
  let [left, row] = [0, 0]
  return legend.map((entry) => {
    const length = measure(entry.name) + MARK_PX + 6 + 18
    if (left > 0 && left + length > width) {
      left = 0
      row++
    }
    const place = { entry, left, row }
    left += length
    return place
  })
}
