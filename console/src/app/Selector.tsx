import { MultiSelect, Select, Stack, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { nameOf } from '../modelx/rows.ts'
import { outputs } from '../notification/api.ts'
import { devices, functions } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { type Field, type Filter, isMap, isWanted, type Selected } from './fields.ts'
import { type InputProps, Typed } from './Typed.tsx'

type SelectorField = Extract<Field, { kind: 'selector' }>

/** More would make the list slow; who wants another one types a part of its name. */
const MAX_OPTIONS = 100

/** Chooses functions, devices or outputs by name, and with `hasTexts` a text for each. */
export function Selector(props: InputProps<SelectorField>) {
  const { field, value } = props
  const { installation_id, isLocked, change } = props
  const { apps: t } = useTexts()
  const { options, isRefused } = useOptions(installation_id, field)
  const texts = isMap(value) ? Object.entries(value) : []
  const isReadable = !isMap(value) || texts.every(([, text]) => typeof text === 'string')
  if (isRefused || !isReadable) return <Typed {...props} />
  const ids = isMap(value) ? Object.keys(value) : idsIn(value)
  const known = new Set(options?.map((one) => one.value))
  const gone = options ? ids.filter((id) => !known.has(id)) : ids
  const choose = (next: readonly string[]) => {
    if (next.length === 0) return change(undefined)
    if (field.hasTexts) {
      const before = isMap(value) ? value : {}
      return change(Object.fromEntries(next.map((id) => [id, before[id] ?? ''])))
    }
    change(field.isMany ? next.map(Number) : Number(next[0]))
  }
  const data = [
    ...(options ?? []),
    ...gone.map((id) => ({ value: id, label: options ? t.gone(id) : id }))
  ]
  const shared = {
    ...{ data, label: field.name, description: field.description },
    ...{ withAsterisk: field.isRequired, readOnly: isLocked, searchable: true, clearable: true },
    ...{ limit: MAX_OPTIONS, nothingFoundMessage: t.nothingFits },
    ...{ comboboxProps: { zIndex: 400 }, clearButtonProps: { 'aria-label': t.clear(field.name) } }
  }
  const labels = new Map(data.map((one) => [one.value, one.label]))
  return (
    <Stack gap="xs">
      {field.isMany ? (
        <MultiSelect {...shared} value={ids} onChange={choose} />
      ) : (
        <Select
          {...shared}
          value={ids[0] ?? null}
          onChange={(id) => choose(id === null ? [] : [id])}
        />
      )}
      {field.hasTexts &&
        texts.map(([id, text]) => (
          <TextInput
            key={id}
            pl="md"
            label={t.textFor(labels.get(id) ?? id)}
            value={String(text)}
            readOnly={isLocked}
            onChange={(event) =>
              change({ ...(isMap(value) ? value : {}), [id]: event.currentTarget.value })
            }
          />
        ))}
    </Stack>
  )
}

function idsIn(value: unknown): string[] {
  const all: unknown[] = Array.isArray(value) ? value : [value]
  return all.filter((id) => typeof id === 'number' || typeof id === 'string').map(String)
}

type Option = { value: string; label: string }

/** Undefined until they are known. */
function useOptions(installation_id: number, { of, filter }: SelectorField) {
  const asked = {
    function: useQuery({ ...functions(installation_id), enabled: of === 'function' }),
    device: useQuery({ ...devices(installation_id), enabled: of === 'device' }),
    notification_output: useQuery({
      ...outputs(installation_id),
      enabled: of === 'notification_output'
    })
  }
  return { options: optionsIn(asked, of, filter), isRefused: asked[of].isError }
}

type Asked = {
  function: { data: Parameters<typeof nameOf>[0][] | undefined }
  device: { data: Parameters<typeof nameOf>[0][] | undefined }
  notification_output: { data: { id: number; name: string }[] | undefined }
}

function optionsIn(asked: Asked, of: Selected, filter: Filter): Option[] | undefined {
  if (of === 'notification_output') {
    return asked[of].data?.map(({ id, name }) => ({ value: String(id), label: name || String(id) }))
  }
  return asked[of].data
    ?.filter((model) => isWanted(model, filter))
    .map((model) => ({
      value: String(model.id),
      label: [nameOf(model), model.meta.room].filter(Boolean).join(' · ')
    }))
}
