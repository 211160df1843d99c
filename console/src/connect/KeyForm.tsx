import { Button, Group, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { useMutation } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Device, lookBefore, type Made, makeKey } from './key.ts'
import { type ConnectSearch, MAX_NAME_LENGTH, readConnectSearch, spans } from './search.ts'
import { isKind, isValueTopic, type Kind, kinds, proposedTopic } from './topics.ts'

type Props = {
  id: number
  clientId: number
  mayListen: boolean
  mayRead: boolean
  mayLook: boolean
  onMade: (made: Made) => void
}

const WRITE_AFTER_MS = 250

/** The first step: what the device is and may do. */
export function KeyForm({ id, clientId, mayListen, onMade, ...looks }: Props) {
  const { connect: t } = useTexts()
  const { fields, change, flush } = useFields()
  const { name = '', kind = 'temperature', topic: ownTopic, days = 0 } = fields
  const listens = mayListen && fields.listen === true
  const topic = ownTopic ?? proposedTopic(kind, name)
  const isWrong = !isValueTopic(topic)
  const make = useMutation({
    // Who is quick sends the first value before the page waits for it.
    mutationFn: async (device: Device) => {
      const before = await lookBefore(id, looks)
      return { device, before, key: await makeKey(id, device) }
    },
    onSuccess: onMade
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    flush()
    if (!isWrong) make.mutate({ name: name.trim(), kind, topic, listens, days })
  }
  return (
    <form onSubmit={submit}>
      <Stack>
        <Group grow align="flex-start" preventGrowOverflow={false}>
          <TextInput
            label={t.name}
            description={t.nameHelp}
            required
            maxLength={MAX_NAME_LENGTH}
            value={name}
            onChange={(event) => change({ name: event.currentTarget.value })}
            miw={220}
          />
          <NativeSelect
            label={t.kind}
            description={t.kindHelp}
            value={kind}
            onChange={({ currentTarget: { value } }) => isKind(value) && change({ kind: value })}
            data={(Object.keys(kinds) as Kind[]).map((value) => ({ value, label: t.kinds[value] }))}
            miw={220}
          />
        </Group>
        <TextInput
          label={t.topic}
          description={t.topicHelp(clientId)}
          required
          error={isWrong ? t.topicWrong : undefined}
          value={topic}
          onChange={(event) => change({ topic: event.currentTarget.value })}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Radio.Group
          label={t.may}
          value={listens ? 'both' : 'publish'}
          onChange={(value) => change({ listen: value === 'both' ? true : undefined })}
        >
          <Stack gap="xs" mt={6}>
            <Radio value="publish" label={t.publishOnly} />
            {mayListen && <Radio value="both" label={t.publishAndListen} />}
          </Stack>
        </Radio.Group>
        <NativeSelect
          label={t.expires}
          value={String(days)}
          onChange={(event) => change({ days: Number(event.currentTarget.value) })}
          data={spans.map((span) => ({ value: String(span), label: t.span(span) }))}
          maw={280}
        />
        <Text className="muted">{t.keyLimits}</Text>
        {make.error && <Problem error={make.error} again={() => make.reset()} />}
        <Button type="submit" loading={make.isPending} style={{ alignSelf: 'flex-start' }}>
          {t.makeKey}
        </Button>
      </Stack>
    </form>
  )
}

/** The fields as they are typed. The address follows, so that a reload or a link keeps them. */
function useFields() {
  const [fields, setFields] = useState<ConnectSearch>(
    useSearch({ from: '/frame/installations/$id/connect' })
  )
  const navigate = useNavigate({ from: '/installations/$id/connect' })
  const write = useDebouncedCallback(
    (next: ConnectSearch) => void navigate({ search: next, replace: true, resetScroll: false }),
    WRITE_AFTER_MS
  )
  const change = (changed: ConnectSearch) => {
    const next = { ...fields, ...changed }
    setFields(next)
    write(readConnectSearch(next))
  }
  return { fields, change, flush: write.flush }
}
