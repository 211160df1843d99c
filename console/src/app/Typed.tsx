import { Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isSame } from '../edit/differences.ts'
import { readNumber } from '../numbers.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { type Field, faultOf, Unread } from './fields.ts'

export type InputProps<F extends Field = Field> = {
  installation_id: number
  field: F
  value: unknown
  isLocked: boolean
  change: (value: unknown) => void
}

const readers = {
  number: (text: string): unknown =>
    text.trim() === '' ? undefined : (readNumber(text, 0) ?? new Unread(text)),
  text: (text: string): unknown => (text === '' ? undefined : text),
  json: (text: string): unknown => {
    if (text.trim() === '') return undefined
    try {
      return JSON.parse(text)
    } catch {
      return new Unread(text)
    }
  }
}

function written(value: unknown, isJson: boolean): string {
  if (value === undefined || value === null) return ''
  if (value instanceof Unread) return value.text
  return isJson ? JSON.stringify(value, null, 2) : String(value)
}

/** What is typed stays as it was typed, as long as it means the value. */
export function Typed({ field, value, isLocked, change }: InputProps) {
  const { apps: t } = useTexts()
  const [typed, setTyped] = useState('')
  const isArea = !['number', 'text'].includes(field.kind)
  // An app may have a value that its description does not allow.
  const isJson = isArea || (typeof value === 'object' && !(value instanceof Unread))
  const read = field.kind === 'number' || field.kind === 'text' ? readers[field.kind] : readers.json
  const fault = faultOf(field, value)
  const props = {
    label: field.name,
    description: describe(field, t),
    withAsterisk: field.isRequired,
    readOnly: isLocked,
    error: fault && fault.kind !== 'required' && faultText(fault, t),
    value: typed !== '' && isSame(read(typed), value) ? typed : written(value, isJson),
    onChange: (event: { currentTarget: { value: string } }) => {
      setTyped(event.currentTarget.value)
      change(read(event.currentTarget.value))
    }
  }
  if (isArea || isJson || (field.kind === 'text' && field.isLong)) {
    const classNames = isJson ? { input: 'topic' } : {}
    return <Textarea {...props} autosize minRows={2} maxRows={14} classNames={classNames} />
  }
  return <TextInput {...props} inputMode={field.kind === 'number' ? 'decimal' : 'text'} />
}

function describe(field: Field, t: Texts['apps']): string {
  const isJson = field.kind === 'json'
  const parts = [
    field.description,
    ...(isJson ? [t.asJson] : []),
    ...(field.kind === 'number' ? [t.between(field.min, field.max)] : [])
  ]
  return parts.filter((part) => part !== '').join(' ')
}

function faultText(fault: NonNullable<ReturnType<typeof faultOf>>, t: Texts['apps']): string {
  if (fault.kind === 'min') return t.atLeast(fault.limit)
  if (fault.kind === 'max') return t.atMost(fault.limit)
  return fault.kind === 'number' ? t.noNumber : t.noJson
}
