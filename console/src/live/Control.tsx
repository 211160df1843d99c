import './controls.css'
import { IconCheck } from '@tabler/icons-react'
import { type FormEvent, memo, useEffect, useRef, useState } from 'react'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { CommandState } from './CommandState.tsx'
import type { Commands } from './commands.ts'
import { type Asked, askedNumber, isShortText, type Control as Kind } from './control.ts'
import { type Row, shownValue } from './shown.ts'
import type { Value } from './values.ts'

/** A slider is sent when it rests so long. */
const REST_MS = 500

type Props = { row: Row; kind: Kind; value: Value | undefined; commands: Commands }

/**
 * The control of a function. Plain elements of the browser: thousands of rows scroll past. While a
 * command waits, it shows what was asked.
 */
export const Control = memo(({ row, kind, value, commands }: Props) => {
  const command = commands.useCommand(row.key)
  const isWaiting = command?.state === 'sending' || command?.state === 'sent'
  const answer = command?.state === 'answered' ? command.answer : undefined
  const known = answer && (value?.arrived ?? 0) < answer.arrived ? answer : value
  const current = isWaiting ? command.asked : known
  const ask = (asked: Asked) => commands.ask(row, asked)
  return (
    <div className="control" data-waiting={isWaiting || undefined}>
      <Field {...{ row, kind, current, ask, commands }} />
      {command && <CommandState row={row} command={command} />}
    </div>
  )
})

type FieldProps = {
  row: Row
  kind: Kind
  current: { value: number; msg?: string } | undefined
  ask: (asked: Asked) => void
  commands: Commands
}

function Field({ kind, ...props }: FieldProps) {
  if (kind.kind === 'switch') return <Switch {...props} kind={kind} />
  if (kind.kind === 'choice') return <Choice {...props} kind={kind} />
  if (kind.kind === 'slider') return <Slider {...props} kind={kind} />
  return <Typed {...props} kind={kind} />
}

type Of<K extends Kind['kind']> = Omit<FieldProps, 'kind'> & { kind: Extract<Kind, { kind: K }> }

function Switch({ row, kind: { on, off }, current, ask }: Of<'switch'>) {
  const isOn = current?.value === on.value
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={isOn}
      aria-label={row.name}
      onClick={() => ask({ value: (isOn ? off : on).value })}
    />
  )
}

function Choice({ row, kind: { states }, current, ask }: Of<'choice'>) {
  const { control: t } = useTexts()
  const known = states.find(({ value }) => value === current?.value)
  return (
    <select
      className="field"
      aria-label={row.name}
      value={known ? String(known.value) : ''}
      onChange={(event) => ask({ value: Number(event.currentTarget.value) })}
    >
      {!known && (
        <option value="" disabled>
          {t.choose}
        </option>
      )}
      {states.map(({ value, text }) => (
        <option key={value} value={String(value)}>
          {text}
        </option>
      ))}
    </select>
  )
}

function Slider({ row, kind: { min, max, step }, current, ask }: Of<'slider'>) {
  const language = useLanguage()
  const [moved, setMoved] = useState<number>()
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  useEffect(() => () => clearTimeout(timer.current), [])
  const shown = moved ?? current?.value ?? min
  const { text, unit } = shownValue(shown, row.meta, language)
  const send = (value: number) => {
    clearTimeout(timer.current)
    setMoved(undefined)
    ask({ value })
  }
  return (
    <span className="slider">
      <input
        type="range"
        aria-label={row.name}
        aria-valuetext={`${text} ${unit}`}
        {...{ min, max, step }}
        value={shown}
        onChange={(event) => {
          const value = event.currentTarget.valueAsNumber
          setMoved(value)
          clearTimeout(timer.current)
          timer.current = setTimeout(send, REST_MS, value)
        }}
        onPointerUp={() => moved !== undefined && send(moved)}
      />
      <output>{current || moved !== undefined ? text : '–'}</output>
    </span>
  )
}

/** A number or a text. What is typed stays until it is sent or emptied. */
function Typed({ row, kind, ask, commands }: Of<'number' | 'text'>) {
  const { control: t } = useTexts()
  const [draft, setDraft] = useState(commands.draft(row.key) ?? '')
  const [isWrong, setWrong] = useState(false)
  const bounds = kind.kind === 'number' ? kind : undefined
  const change = (text: string) => {
    setWrong(false)
    setDraft(text)
    commands.setDraft(row.key, text || undefined)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const number = bounds && askedNumber(draft, bounds)
    if (bounds ? number === undefined : !isShortText(draft)) {
      setWrong(true)
      return
    }
    ask(number === undefined ? { value: 0, msg: draft } : { value: number })
    change('')
  }
  return (
    <form className="typed" onSubmit={submit}>
      <input
        className="field"
        aria-label={row.name}
        aria-invalid={isWrong}
        inputMode={bounds ? 'decimal' : 'text'}
        placeholder={bounds ? boundsText(bounds) : t.text}
        title={isWrong ? t.wrong(boundsText(bounds ?? {})) : undefined}
        value={draft}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <button type="submit" className="send" disabled={draft === ''}>
        <IconCheck size={14} aria-hidden />
        {t.send}
      </button>
      {isWrong && (
        <span className="wrong" role="alert">
          {t.wrong(boundsText(bounds ?? {}))}
        </span>
      )}
    </form>
  )
}

const boundsText = ({ min, max }: { min?: number; max?: number }): string =>
  min === undefined && max === undefined ? '' : `${min ?? ''} … ${max ?? ''}`
