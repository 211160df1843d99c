import {
  Button,
  Checkbox,
  Group,
  NativeSelect,
  Radio,
  ScrollArea,
  Stack,
  Text,
  TextInput
} from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import type { Schemas } from '../../../tools/client/client.ts'
import { spans } from '../connect/search.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { permissions } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { createKey, type Token } from './api.ts'

const DAY_S = 24 * 3600
const MAX_NAME = 255

type Props = {
  close: () => void
  made: (key: Token) => void
  /** Makes the key; of the caller without it. */
  create?: (body: Schemas['NewToken']) => Promise<Token>
  /** What a key without a limit may do; what the caller may without it. */
  allRights?: string
}

/** A key that may do what its owner may, or only what is ticked. */
export function NewKey({ close, made, create: make = createKey, allRights }: Props) {
  const texts = useTexts()
  const { account: t, connect } = texts
  const [name, setName] = useState('')
  const [days, setDays] = useState(0)
  const [isRestricted, setRestricted] = useState(true)
  const [ticked, setTicked] = useState<string[]>([])
  const create = useMutation({ mutationFn: make, onSuccess: made })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    create.mutate({
      name: name.trim(),
      expire: days === 0 ? 0 : Math.floor(Date.now() / 1000) + days * DAY_S,
      ...(isRestricted && { permissions: ticked })
    })
  }
  const isReady = name.trim() !== '' && (!isRestricted || ticked.length > 0)
  return (
    <form onSubmit={submit} className="account-form" aria-label={t.newKey}>
      <TextInput
        label={connect.name}
        description={t.keyNameHelp}
        required
        maxLength={MAX_NAME}
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <NativeSelect
        label={connect.expires}
        value={String(days)}
        onChange={(event) => setDays(Number(event.currentTarget.value))}
        data={spans.map((span) => ({ value: String(span), label: connect.span(span) }))}
      />
      <Radio.Group
        label={t.mayDo}
        value={isRestricted ? 'some' : 'all'}
        onChange={(value) => setRestricted(value === 'some')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="some" label={t.ticked} />
          <Radio value="all" label={allRights ?? t.allRights} />
        </Stack>
      </Radio.Group>
      {isRestricted && <Ticks ticked={ticked} change={setTicked} />}
      {create.error && <Fault text={refusal(create.error, 'user/update', texts)} />}
      <Group gap="xs">
        <Button type="submit" disabled={!isReady} loading={create.isPending}>
          {connect.makeKey}
        </Button>
        <Button variant="default" onClick={close}>
          {connect.cancel}
        </Button>
      </Group>
    </form>
  )
}

type TicksProps = { ticked: readonly string[]; change: (ticked: string[]) => void }

/** The permissions that the caller has. Nobody can give a key more. */
function Ticks({ ticked, change }: TicksProps) {
  const { account: t } = useTexts()
  const [text, setText] = useState('')
  const own = Object.entries(useQuery(permissions).data ?? {}).flatMap(([name, has]) =>
    has ? [name] : []
  )
  const shown = own.filter((name) => name.includes(text.trim().toLowerCase()))
  return (
    <Stack gap="xs" component="fieldset" className="ticks">
      <legend>{t.rights(ticked.length)}</legend>
      <TextInput
        aria-label={t.filterRights}
        placeholder={t.filterRights}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <ScrollArea.Autosize mah={280} type="auto">
        <Checkbox.Group value={[...ticked]} onChange={change}>
          <Stack gap={6}>
            {shown.map((name) => (
              <Checkbox key={name} value={name} label={name} />
            ))}
            {shown.length === 0 && <Text className="muted">{t.noRight}</Text>}
          </Stack>
        </Checkbox.Group>
      </ScrollArea.Autosize>
    </Stack>
  )
}
