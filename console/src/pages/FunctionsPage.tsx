import '../modelx/modelx.css'
import {
  Button,
  Group,
  SegmentedControl,
  Select,
  Skeleton,
  Stack,
  TagsInput,
  Text,
  TextInput
} from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { useMany } from '../many/useMany.tsx'
import { type Kind, listOf, type Model } from '../modelx/api.ts'
import { Details } from '../modelx/Details.tsx'
import { dropDraft, hasDraft } from '../modelx/draft.ts'
import { ModelTable } from '../modelx/ModelTable.tsx'
import { useMayAdd } from '../modelx/may.ts'
import { NewModel } from '../modelx/NewModel.tsx'
import { linesOf, nameOf, readSort, sorted, wantedLines } from '../modelx/rows.ts'
import { devices, functions } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'

export type FunctionsSearch = {
  view?: 'devices'
  text?: string
  type?: string
  /** `key=value`, with `*` as a wildcard. */
  meta?: string[]
  /** A column, with `-` before it for the other direction. */
  sort?: string
  /** The function or device whose details are open. */
  id?: number
  add?: true
}

const none: Model[] = []
const ROWS_BEFORE = 8

/** Functions and devices of an installation, their metadata, and how they hang together. */
export function FunctionsPage() {
  const { functions: t } = useTexts()
  const language = useLanguage()
  const { id: installation_id } = useParams({ from: '/frame/installations/$id/functions' })
  const search = useSearch({ from: '/frame/installations/$id/functions' })
  const { view, text = '', type, meta = [], sort = 'name', id, add = false } = search
  const kind: Kind = view ?? 'functions'
  const place = useMemo(() => ({ kind, installation_id }), [kind, installation_id])
  const set = useSetSearch()
  const list = useQuery(listOf(place))
  const allFunctions = useQuery(functions(installation_id)).data ?? none
  const allDevices = useQuery(devices(installation_id)).data ?? none
  const mayAdd = useMayAdd(place)
  const models = list.data ?? none
  const lines = useMemo(
    () => linesOf(kind, models, { devices: allDevices, functions: allFunctions }),
    [kind, models, allDevices, allFunctions]
  )
  const order = useMemo(() => sorted(lines, readSort(sort), language), [lines, sort, language])
  const rows = wantedLines(order, { text, type, meta })
  const types = [...new Set(models.map((one) => one.type))].sort()
  const isFiltered = text !== '' || type !== undefined || meta.length > 0
  const many = useMany({ place, models, types, mayAdd })
  const close = () => set({ id: undefined, add: undefined })
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <SegmentedControl
          aria-label={t.view}
          value={kind}
          onChange={(value) =>
            set({ view: value === 'devices' ? value : undefined, type: undefined, sort: undefined })
          }
          data={[
            { value: 'functions', label: t.functions },
            { value: 'devices', label: t.devices }
          ]}
        />
        <Group gap="xs">
          {many.csvIn}
          {mayAdd && (
            <Button
              leftSection={<IconPlus size={16} aria-hidden />}
              onClick={() => set({ add: true, id: undefined })}
            >
              {t.create[kind]}
            </Button>
          )}
        </Group>
      </Group>
      <Group gap="xs" align="flex-start" className="filters">
        <TextInput
          className="half"
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={text}
          onChange={(event) => set({ text: event.currentTarget.value || undefined }, true)}
        />
        <Select
          className="half"
          aria-label={t.filterType}
          placeholder={t.filterType}
          data={types}
          value={type ?? null}
          searchable
          clearable
          onChange={(value) => set({ type: value ?? undefined }, true)}
        />
        <TagsInput
          className="wide"
          aria-label={t.filterMeta}
          placeholder={meta.length === 0 ? t.filterMeta : ''}
          value={meta}
          clearable
          acceptValueOnBlur
          splitChars={[]}
          onChange={(value) => set({ meta: value.length > 0 ? value : undefined }, true)}
        />
        {list.data && (
          <Text className="muted" ml="auto" py={8}>
            {isFiltered ? t.countOf(rows.length, models.length) : t.count[kind](models.length)}
          </Text>
        )}
      </Group>
      {many.bar}
      {list.isError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={38 + 52 * ROWS_BEFORE} radius={12} />
      ) : models.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty[kind]}</Text>
          <Text className="muted">{mayAdd ? t.emptyHelp[kind] : t.emptyAsk}</Text>
        </Stack>
      ) : rows.length === 0 ? (
        <Text className="muted">{t.noneMatch}</Text>
      ) : (
        <ModelTable
          kind={kind}
          lines={rows}
          selection={many.selection}
          sort={readSort(sort)}
          setSort={({ column, isDown }) =>
            set({ sort: isDown ? `-${column}` : column === 'name' ? undefined : column }, true)
          }
        />
      )}
      {many.work}
      <Panel {...{ add, id, close, types, place }} models={list.data} />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['view', 'id', 'add']} />
    </Stack>
  )
}

function useSetSearch() {
  const navigate = useNavigate({ from: '/installations/$id/functions' })
  return (search: FunctionsSearch, replace = false) =>
    void navigate({
      search: (before) => ({ ...before, ...search }),
      replace,
      resetScroll: false
    })
}

type PanelProps = {
  add: boolean
  id: number | undefined
  close: () => void
  types: string[]
  models: Model[] | undefined
  place: { kind: Kind; installation_id: number }
}

function Panel({ add, id, close, types, models, place }: PanelProps) {
  const { functions: t } = useTexts()
  const set = useSetSearch()
  const model = models?.find((one) => one.id === id)
  const isOpen = add || id !== undefined
  return (
    <SidePanel
      isOpen={isOpen}
      close={close}
      size={520}
      title={add ? t.create[place.kind] : model ? nameOf(model) : t[place.kind]}
    >
      {add ? (
        <NewModel
          place={place}
          types={types}
          made={(made) => set({ add: undefined, id: made.id }, true)}
        />
      ) : model ? (
        <Details key={`${place.kind} ${model.id}`} {...{ place, model, types, close }} />
      ) : models ? (
        <Text role="alert">{t.notThere[place.kind]}</Text>
      ) : (
        <Skeleton h={300} />
      )}
    </SidePanel>
  )
}
