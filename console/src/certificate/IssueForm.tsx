import { Button, Group, NumberInput, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { type Issued, issue } from './api.ts'
import { MountFields } from './MountFields.tsx'
import { mountOf, type Prefix } from './prefix.ts'

const MAX_NAME_LENGTH = 100
const MAX_DAYS = 3650

type Props = { id: number; onIssued: (issued: Issued) => void; onCancel: () => void }

export function IssueForm({ id, onIssued, onCancel }: Props) {
  const { certificate: t } = useTexts()
  const [name, setName] = useState('')
  const [days, setDays] = useState(365)
  const [prefix, setPrefix] = useState<Prefix>()
  /** Undefined: the platform makes the key. */
  const [csr, setCsr] = useState<string>()
  const making = useMutation({
    mutationFn: () =>
      issue(id, { name: name.trim(), days, ...mountOf(prefix), ...(csr !== undefined && { csr }) }),
    onSuccess: onIssued
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    making.mutate()
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <TextInput
          label={t.name}
          required
          data-autofocus
          maxLength={MAX_NAME_LENGTH}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <NumberInput
          label={t.days}
          required
          min={1}
          max={MAX_DAYS}
          allowDecimal={false}
          value={days}
          onChange={(value) => setDays(Number(value))}
        />
        <MountFields prefix={prefix} onChange={setPrefix} />
        <Radio.Group
          label={t.key}
          value={csr === undefined ? 'here' : 'there'}
          onChange={(value) => setCsr(value === 'there' ? '' : undefined)}
        >
          <Stack gap="xs" mt={6}>
            <Radio value="here" label={t.keyHere} />
            <Radio value="there" label={t.keyThere} />
          </Stack>
        </Radio.Group>
        {csr !== undefined && (
          <Textarea
            label={t.csr}
            required
            rows={6}
            spellCheck={false}
            value={csr}
            onChange={(event) => setCsr(event.currentTarget.value)}
            styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
          />
        )}
        {making.error && <Text c="var(--bad)">{making.error.message}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>
            {t.cancel}
          </Button>
          <Button type="submit" loading={making.isPending}>
            {t.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
