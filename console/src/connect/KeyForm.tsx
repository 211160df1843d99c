import { Button, Group, NativeSelect, Radio, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Device, lookBefore, type Made, makeKey } from './key.ts'
import { isKind, isValueTopic, type Kind, kinds, proposedTopic } from './topics.ts'

type Props = {
  id: number
  clientId: number
  mayListen: boolean
  mayRead: boolean
  mayLook: boolean
  onMade: (made: Made) => void
}

const spans = [0, 1, 90, 365] as const

/** The first step: what the device is and may do. */
export function KeyForm({ id, clientId, mayListen, onMade, ...looks }: Props) {
  const { connect: t } = useTexts()
  const [name, setName] = useState('')
  const [kind, setKind] = useState<Kind>('temperature')
  const [ownTopic, setOwnTopic] = useState<string>()
  const [listens, setListens] = useState(false)
  const [days, setDays] = useState<number>(0)
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
            maxLength={200}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
            miw={220}
          />
          <NativeSelect
            label={t.kind}
            description={t.kindHelp}
            value={kind}
            onChange={({ currentTarget: { value } }) => isKind(value) && setKind(value)}
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
          onChange={(event) => setOwnTopic(event.currentTarget.value)}
          styles={{ input: { fontFamily: 'var(--mantine-font-family-monospace)' } }}
        />
        <Radio.Group
          label={t.may}
          value={listens ? 'both' : 'publish'}
          onChange={(value) => setListens(value === 'both')}
        >
          <Stack gap="xs" mt={6}>
            <Radio value="publish" label={t.publishOnly} />
            {mayListen && <Radio value="both" label={t.publishAndListen} />}
          </Stack>
        </Radio.Group>
        <NativeSelect
          label={t.expires}
          value={String(days)}
          onChange={(event) => setDays(Number(event.currentTarget.value))}
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
