import { Textarea, TextInput } from '@mantine/core'

type Props = {
  label: string
  value: string
  /** A line would cut it, and would lose its line breaks. */
  isLong: boolean
  error: string | undefined
  onChange: (value: string) => void
}

export function ValueInput({ label, value, isLong, error, onChange }: Props) {
  const common = { 'aria-label': label, size: 'xs', value, error } as const
  return isLong ? (
    <Textarea
      {...common}
      autosize
      maxRows={12}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  ) : (
    <TextInput {...common} onChange={(event) => onChange(event.currentTarget.value)} />
  )
}
