import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { functions, queryClient } from '../queries.ts'
import { call } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'
import type { Device } from './key.ts'
import { kinds } from './topics.ts'

/** Gives the new topic a name, a type and a unit, if it has none yet. */
export function NewFunction({ id, device }: { id: number; device: Device }) {
  const { connect: t } = useTexts()
  const known = useQuery(functions(id)).data
  const [name, setName] = useState(device.name)
  const [type, setType] = useState<string>(device.kind === 'other' ? '' : device.kind)
  const [unit, setUnit] = useState<string>(kinds[device.kind])
  const create = useMutation({
    mutationFn: () =>
      call((caracal) =>
        caracal.post('/api/v2/functionx/{installation_id}', {
          path: { installation_id: id },
          body: {
            installation_id: id,
            type: type.trim() || 'other',
            meta: {
              name: name.trim(),
              topic_read: device.topic,
              ...(unit.trim() && { unit: unit.trim() })
            }
          }
        })
      ),
    onSuccess: () => queryClient.invalidateQueries(functions(id))
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate()
  }
  const isThere = known?.some(({ meta }) => meta.topic_read === device.topic)
  if (create.isSuccess || isThere) {
    return (
      <Group>
        <Text role="status">{create.isSuccess ? t.functionMade : t.functionThere}</Text>
        <Button component={Link} to={`/installations/${id}/live`} variant="light">
          {t.toLive}
        </Button>
      </Group>
    )
  }
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <Text fw={600}>{t.function}</Text>
        <Text className="muted">{t.functionHelp}</Text>
        <Group align="flex-end">
          <TextInput
            label={t.functionName}
            required
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <TextInput
            label={t.functionType}
            value={type}
            onChange={(event) => setType(event.currentTarget.value)}
            w={160}
          />
          <TextInput
            label={t.functionUnit}
            value={unit}
            onChange={(event) => setUnit(event.currentTarget.value)}
            w={100}
          />
          <Button type="submit" loading={create.isPending}>
            {t.makeFunction}
          </Button>
        </Group>
        {create.error && <Problem error={create.error} again={() => create.mutate()} />}
      </Stack>
    </form>
  )
}
