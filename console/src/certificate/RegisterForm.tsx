import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { register } from './api.ts'
import { MountFields } from './MountFields.tsx'
import { mountOf, type Prefix } from './prefix.ts'

const MAX_NAME_LENGTH = 100

/** For a certificate of an authority of the operator. */
export function RegisterForm({ id, onDone }: { id: number; onDone: () => void }) {
  const { certificate: t } = useTexts()
  const [name, setName] = useState('')
  const [certificate, setCertificate] = useState('')
  const [prefix, setPrefix] = useState<Prefix>()
  const going = useMutation({
    mutationFn: () => register(id, { name: name.trim(), certificate, ...mountOf(prefix) }),
    onSuccess: onDone
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    going.mutate()
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
        <Textarea
          label={t.pem}
          description={t.pemHelp}
          required
          rows={8}
          spellCheck={false}
          value={certificate}
          onChange={(event) => setCertificate(event.currentTarget.value)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <MountFields prefix={prefix} onChange={setPrefix} />
        {going.error && <Text c="var(--bad)">{going.error.message}</Text>}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            {t.cancel}
          </Button>
          <Button type="submit" loading={going.isPending}>
            {t.goRegister}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
