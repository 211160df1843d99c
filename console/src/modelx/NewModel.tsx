import { Autocomplete, Button, Group, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { devices, queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { create, listOf, type Model, type Place, words } from './api.ts'
import { Fault, refusal } from './Details.tsx'
import {
  type Draft,
  dropDraft,
  isType,
  keyFault,
  useDraft,
  withEdit,
  withNewRow,
  withType
} from './draft.ts'
import { AddedRows } from './MetaEditor.tsx'
import { useMayProtect } from './may.ts'
import { nameOf } from './rows.ts'

/** Keys that most functions and devices have. */
const suggested = {
  functions: ['name', 'room', 'topic_read', 'topic_write', 'topic_response', 'format', 'unit'],
  devices: ['name', 'room']
} as const
const types = {
  functions: ['temperature', 'humidity', 'power', 'energy', 'switch', 'dimmer', 'door', 'battery'],
  devices: ['virtual', 'zigbee', 'zwave', 'lora', 'shelly']
}
const examples: Readonly<Record<string, string>> = {
  topic_read: 'obj/hall/temperature',
  topic_write: 'set/obj/hall/light',
  topic_response: 'mqtt5',
  format: '%.1f °C'
}

type Props = { place: Place; types: string[]; made: (model: Model) => void }

export function NewModel({ place, types: used, made }: Props) {
  const texts = useTexts()
  const t = texts.functions
  const [draft, change] = useDraft(`${place.installation_id}/${place.kind}/new`)
  const mayProtect = useMayProtect(place)
  const known = useQuery(devices(place.installation_id)).data ?? []
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const type = draft.type?.to ?? ''
  const textOf = (key: string) => draft.edits.get(key)?.to?.value ?? ''
  const put = (key: string, value: string) =>
    change((before) =>
      withEdit(before, key, {
        from: undefined,
        to: value ? { value, isProtected: false } : undefined
      })
    )
  const isTaken =
    ({ row }: { row: number }) =>
    (key: string) =>
      draft.edits.has(key) || draft.added.some((one) => one.row !== row && one.key === key)
  const isReady = isType(type) && draft.added.every((one) => !keyFault(one.key, isTaken(one)))
  const submit = async () => {
    setBusy(true)
    setFault('')
    try {
      const model = await create(place, bodyOf(draft))
      queryClient.setQueryData(listOf(place).queryKey, (list: Model[] | undefined) =>
        list ? [...list, model] : undefined
      )
      dropDraft()
      made(model)
    } catch (error) {
      const { byType } = words[place.kind]
      setFault(refusal(error as Error, `${byType}/${type}/add`, texts))
    }
    setBusy(false)
  }
  /** The part of the refusal that names the field. */
  const faultAt = (field: string) => fault.split('; ').find((one) => one.startsWith(`${field} `))
  const isPlaced = ['type', ...suggested[place.kind].map((key) => `meta.${key}`)].some(faultAt)
  const typeFault = faultAt('type') ?? (type !== '' && !isType(type) ? t.typeWrong : undefined)
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void submit()
      }}
    >
      <Stack gap="sm" pb="md">
        <Autocomplete
          label={t.type}
          description={t.typeHelp[place.kind]}
          data={[...new Set([...used, ...types[place.kind]])]}
          value={type}
          error={typeFault}
          required
          data-autofocus
          comboboxProps={{ zIndex: 400 }}
          onChange={(to) => change((before) => withType(before, '', to))}
        />
        {suggested[place.kind].map((key) => (
          <TextInput
            key={key}
            label={t.suggested[key]}
            placeholder={examples[key]}
            value={textOf(key)}
            error={faultAt(`meta.${key}`)}
            onChange={(event) => put(key, event.currentTarget.value)}
          />
        ))}
        {place.kind === 'functions' && known.length > 0 && (
          <Select
            label={t.device}
            searchable
            clearable
            limit={100}
            data={known.map((one) => ({ value: String(one.id), label: nameOf(one) }))}
            value={textOf('device_id') || null}
            comboboxProps={{ zIndex: 400 }}
            onChange={(id) => put('device_id', id ?? '')}
          />
        )}
        <Text className="muted" size="xs">
          {t.newHelp}
        </Text>
        <AddedRows {...{ draft, change, mayProtect, isTaken }} faults={new Map()} />
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change(withNewRow)}
        >
          {t.addKey}
        </Button>
        {fault && !isPlaced && <Fault text={fault} />}
      </Stack>
      <Group className="savebar" justify="flex-end">
        <Button type="submit" loading={isBusy} disabled={!isReady}>
          {t.create[place.kind]}
        </Button>
      </Group>
    </form>
  )
}

function bodyOf({ type, edits, added }: Draft) {
  const given = [...edits].flatMap(([key, { to }]) => (to ? [{ key, ...to }] : []))
  const mapOf = (isProtected: boolean) =>
    Object.fromEntries(
      [...given, ...added]
        .filter((one) => one.isProtected === isProtected)
        .map(({ key, value }) => [key, value])
    )
  const protected_meta = mapOf(true)
  const hasProtected = Object.keys(protected_meta).length > 0
  return { type: type?.to ?? '', meta: mapOf(false), ...(hasProtected && { protected_meta }) }
}
