import { ActionIcon, CopyButton, Tooltip } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useCallback, useMemo, useRef } from 'react'
import { ageText, SILENT_AFTER_S, useNow } from '../clock.ts'
import { lastDay } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { CommandNews } from './CommandState.tsx'
import { Control } from './Control.tsx'
import type { Commands } from './commands.ts'
import { controlOf } from './control.ts'
import { Sparkline } from './Sparkline.tsx'
import { type Row, shownValue } from './shown.ts'
import type { LiveValues } from './values.ts'

export const ROW_PX = 52
const ROOM_PX = 31
/** On a phone a control is under its value. */
const PHONE = '(max-width: 600px)'
const PHONE_CONTROL_PX = 96

type Line = { room: string } | { row: Row }
type Points = { timestamp: number; value: number }[]

type LiveTableProps = {
  id: number
  rows: readonly Row[]
  values: LiveValues
  commands: Commands | undefined
  /** Whether this browser reaches the broker. */
  hasBroker: boolean
}

/** Only the lines on screen are drawn, so ten thousand of them scroll as ten do. */
export function LiveTable({ id, rows, values, commands, hasBroker }: LiveTableProps) {
  const { live: t, control: controlTexts } = useTexts()
  const isPhone = useMediaQuery(PHONE) ?? false
  const lines = useMemo(() => linesOf(rows), [rows])
  const controlFor = useCallback(
    (row: Row) => (commands?.reaches(row, hasBroker) ? controlOf(row) : undefined),
    [commands, hasBroker]
  )
  const hasControls = useMemo(() => rows.some(controlFor), [rows, controlFor])
  /** Sizes are looked up again when the keys change. */
  const getItemKey = useCallback(
    (i: number) => {
      const line = lines[i]
      const key = line && ('row' in line ? line.row.key : `room ${line.room}`)
      return `${isPhone} ${hasControls} ${key}`
    },
    [lines, isPhone, hasControls]
  )
  const rowPx = (row: Row) => (isPhone && hasControls && row.write ? PHONE_CONTROL_PX : ROW_PX)
  const body = useRef<HTMLTableSectionElement>(null)
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: (i) => {
      const line = lines[i]
      return line && 'row' in line ? rowPx(line.row) : ROOM_PX
    },
    getItemKey,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0
  })
  const shown = virtual.getVirtualItems().flatMap(({ index, start }) => {
    const line = lines[index]
    return line ? [{ line, index, top: start - virtual.options.scrollMargin }] : []
  })
  const topics = shown.flatMap(({ line }) => ('row' in line ? [line.row.short] : []))
  const day = useQuery({
    ...lastDay(id, topics.toSorted()),
    placeholderData: keepPreviousData
  }).data
  return (
    <>
      {commands && <CommandNews commands={commands} />}
      <table
        className={hasControls ? 'panel live controls' : 'panel live'}
        aria-rowcount={lines.length + 1}
      >
        <thead>
          <tr className="line head">
            <th>{t.function}</th>
            <th className="spark">{t.day}</th>
            {hasControls && <th className="does">{controlTexts.control}</th>}
            <th className="number">{t.value}</th>
            <th className="number">{t.age}</th>
          </tr>
        </thead>
        <tbody ref={body} style={{ height: virtual.getTotalSize() }}>
          {shown.map(({ line, index, top }) =>
            'room' in line ? (
              <tr
                key={`room ${line.room}`}
                className="line room"
                aria-rowindex={index + 2}
                style={{ top, height: ROOM_PX }}
              >
                <th colSpan={hasControls ? 5 : 4}>{line.room || t.elsewhere}</th>
              </tr>
            ) : (
              <LiveLine
                key={line.row.key}
                row={line.row}
                values={values}
                points={day?.get(line.row.topic)}
                index={index}
                top={top}
                height={rowPx(line.row)}
                commands={hasControls ? commands : undefined}
                hasBroker={hasBroker}
              />
            )
          )}
        </tbody>
      </table>
    </>
  )
}

/** Rooms get a line of their own where there is at least one. */
function linesOf(rows: readonly Row[]): Line[] {
  const hasRooms = rows.some(({ room }) => room !== '')
  return rows.flatMap((row, i): Line[] =>
    hasRooms && rows[i - 1]?.room !== row.room ? [{ room: row.room }, { row }] : [{ row }]
  )
}

type LiveLineProps = {
  row: Row
  values: LiveValues
  points: Points | undefined
  index: number
  top: number
  height: number
  commands: Commands | undefined
  hasBroker: boolean
}

function LiveLine(props: LiveLineProps) {
  const { row, values, points = [], index, top, height, commands, hasBroker } = props
  const texts = useTexts()
  const language = useLanguage()
  const value = values.useValue(row.topic)
  const now = useNow() / 1000
  const age = value ? now - value.timestamp : 0
  const isReached = commands?.reaches(row, hasBroker) ?? false
  const kind = useMemo(() => (isReached ? controlOf(row) : undefined), [row, isReached])
  const isSilent = age > SILENT_AFTER_S
  const shown = value && shownValue(value.value, row.meta, language)
  return (
    <tr className="line" aria-rowindex={index + 2} style={{ top, height }}>
      <td className="function">
        <span
          className="dot"
          style={{ background: isSilent || !value ? 'var(--muted)' : 'var(--good)' }}
        />
        <span className={isSilent ? 'names muted' : 'names'}>
          <span className="first">{row.name}</span>
          <span className="topic">
            {row.short}
            <Copy text={row.topic} />
          </span>
        </span>
      </td>
      <td className="spark">
        <Sparkline points={points} />
      </td>
      {commands && (
        <td className="does">
          {kind && <Control row={row} kind={kind} value={value} commands={commands} />}
        </td>
      )}
      {/* A new key starts the glow again. */}
      <td className={value?.arrived ? 'number fresh' : 'number'} key={value?.arrived}>
        <span className={isSilent ? 'value muted' : 'value'}>{shown?.text}</span>
        {shown?.unit && <span className="unit">{shown.unit}</span>}
        {value?.msg && <span className="msg">{value.msg}</span>}
      </td>
      <td className="number muted">
        {value ? ageText(age, texts) : texts.live.noValue}
        {isSilent && <span className="silent">{texts.live.silentSince}</span>}
      </td>
    </tr>
  )
}

function Copy({ text }: { text: string }) {
  const { live: t } = useTexts()
  return (
    <CopyButton value={text}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t.copied : t.copy}>
          <ActionIcon
            className="copy"
            size="xs"
            variant="subtle"
            color="gray"
            aria-label={`${t.copy}: ${text}`}
            onClick={copy}
          >
            {copied ? <IconCheck size={12} /> : <IconCopy size={12} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  )
}
