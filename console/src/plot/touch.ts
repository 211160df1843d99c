import type uPlot from 'uplot'
import { MAX_SPAN_S, MIN_SPAN_S, type Span } from './range.ts'

/** A finger moves a little also when it only taps. */
const DRAG_PX = 10
/** Fingers that are nearer than this are too inexact. */
const PINCH_PX = 24

type Zooming = {
  /** Draws a range that is not chosen yet; undefined: the chosen one. */
  preview: (span: Span | undefined) => void
  zoom: (span: Span) => void
}

/**
 * uPlot listens to a mouse only. One finger that moves sideways marks a range, two fingers draw it
 * apart or together and move it. One that moves up or down scrolls the page.
 */
export function zoomByTouch(chart: uPlot, { preview, zoom }: Zooming): void {
  const { over } = chart
  const fingers = new Map<number, number>()
  let start = 0
  let isMarking = false
  let pinched: { times: [number, number]; span?: Span } | undefined
  over.style.touchAction = 'pan-y'

  const placeOf = ({ clientX }: PointerEvent): number => {
    const { left, width } = over.getBoundingClientRect()
    return Math.min(width, Math.max(0, clientX - left))
  }
  const unmark = () => {
    isMarking = false
    chart.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
  }
  const mark = (to: number) => {
    isMarking ||= Math.abs(to - start) >= DRAG_PX
    if (!isMarking) return
    const left = Math.min(start, to)
    chart.setCursor({ left: to, top: 0 })
    chart.setSelect({ left, top: 0, width: Math.abs(to - start), height: over.clientHeight }, false)
  }
  const pinch = ([a = 0, b = 0]: number[]) => {
    if (!pinched || Math.abs(b - a) < PINCH_PX) return
    const [first, second] = pinched.times
    // The time under each finger stays under it.
    const perPixel = (second - first) / (b - a)
    const length = perPixel * over.clientWidth
    if (length < MIN_SPAN_S || length > MAX_SPAN_S) return
    const from = first - a * perPixel
    pinched.span = { from, to: from + length }
    preview(pinched.span)
  }

  over.addEventListener('pointerdown', (event) => {
    if (event.pointerType !== 'touch' || fingers.size === 2) return
    fingers.set(event.pointerId, placeOf(event))
    const [a = 0, b] = fingers.values()
    start = a
    if (b === undefined) return
    unmark()
    if (Math.abs(b - a) >= PINCH_PX)
      pinched = { times: [chart.posToVal(a, 'x'), chart.posToVal(b, 'x')] }
  })
  over.addEventListener('pointermove', (event) => {
    if (!fingers.has(event.pointerId)) return
    fingers.set(event.pointerId, placeOf(event))
    if (pinched) pinch([...fingers.values()])
    else if (fingers.size === 1) mark(placeOf(event))
  })
  const end = (event: PointerEvent) => {
    if (!fingers.delete(event.pointerId)) return
    const isDone = event.type === 'pointerup'
    const { left, width } = chart.select
    if (pinched) {
      if (pinched.span && isDone) zoom(pinched.span)
      else preview(undefined)
    } else if (isMarking && isDone) {
      zoom({ from: chart.posToVal(left, 'x'), to: chart.posToVal(left + width, 'x') })
    }
    unmark()
    // The finger that is left began something else.
    pinched = undefined
    fingers.clear()
  }
  over.addEventListener('pointerup', end)
  over.addEventListener('pointercancel', end)
}
