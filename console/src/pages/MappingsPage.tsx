import '../mapping/mapping.css'
import { Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { makes, mappings } from '../mapping/api.ts'
import { dropDraft, hasDraft, type Mapping } from '../mapping/draft.ts'
import { Editor } from '../mapping/Editor.tsx'
import { installations, rights } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'

export type MappingsSearch = {
  /** The mapping that is open. */
  id?: number
  add?: true
}

/** How messages of devices become values. */
export function MappingsPage() {
  const { mapping: t } = useTexts()
  const { id: installation_id } = useParams({ from: '/frame/installations/$id/mappings' })
  const { id, add = false } = useSearch({ from: '/frame/installations/$id/mappings' })
  const navigate = useNavigate({ from: '/installations/$id/mappings' })
  const set = (search: MappingsSearch) => void navigate({ search, resetScroll: false })
  const list = useQuery(mappings(installation_id))
  const may = useQuery(rights(installation_id)).data
  const mayAdd = may?.['mapping/create_delete'] === true
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text className="muted" maw={620}>
          {t.help}
        </Text>
        {mayAdd && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set({ add: true })}
          >
            {t.create}
          </Button>
        )}
      </Group>
      {list.isError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={160} radius={12} />
      ) : list.data.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">{mayAdd ? t.emptyHelp : t.emptyAsk}</Text>
        </Stack>
      ) : (
        <Stack component="ul" className="mappings" gap="xs">
          {list.data.map((mapping) => (
            <Line key={mapping.id} mapping={mapping} />
          ))}
        </Stack>
      )}
      <Panel
        {...{ installation_id, id, add, mayAdd }}
        list={list.data}
        mayUpdate={may?.['mapping/update'] === true}
        set={set}
      />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['id', 'add']} />
    </Stack>
  )
}

const isMake = (name: string): name is (typeof makes)[number] => makes.some((one) => one === name)
const makeText = (make: string, t: Texts['mapping']): string =>
  isMake(make) ? t.makes[make] : make
/** The platform names a mapping after its make, unless it has a name. */
const titleOf = ({ name, make, filter }: Mapping, t: Texts['mapping']): string =>
  name === make && make !== '' ? makeText(make, t) : name || filter

function Line({ mapping }: { mapping: Mapping }) {
  const { mapping: t } = useTexts()
  const { id, make, filter, active, values } = mapping
  const title = titleOf(mapping, t)
  const kind = make === '' ? t.values(values.length) : makeText(make, t)
  return (
    <li className="panel mapping-line">
      <Link from="/installations/$id/mappings" search={{ id }} className="open" preload={false}>
        {title}
      </Link>
      {filter !== '' && <span className="topic muted">{filter}</span>}
      {title !== kind && <span className="muted">{kind}</span>}
      {!active && (
        <Badge color="gray" variant="light">
          {t.off}
        </Badge>
      )}
    </li>
  )
}

type PanelProps = {
  installation_id: number
  id: number | undefined
  add: boolean
  list: Mapping[] | undefined
  mayAdd: boolean
  mayUpdate: boolean
  set: (search: MappingsSearch) => void
}

function Panel({ installation_id, id, add, list, mayAdd, mayUpdate, set }: PanelProps) {
  const { mapping: t } = useTexts()
  const installation = useQuery(installations).data?.find((one) => one.id === installation_id)
  const mapping = list?.find((one) => one.id === id)
  const isOpen = add || id !== undefined
  const close = () => set({})
  return (
    <SidePanel
      isOpen={isOpen}
      close={close}
      size={980}
      title={add ? t.create : mapping ? titleOf(mapping, t) : t.title}
    >
      {!installation || !list ? (
        <Skeleton h={300} />
      ) : !add && !mapping ? (
        <Text role="alert">{t.notThere}</Text>
      ) : (
        <Editor
          key={mapping?.id ?? 'new'}
          installation={installation}
          mapping={mapping}
          may={{ save: mapping ? mayUpdate : mayAdd, delete: mayAdd }}
          saved={() => set({})}
          deleted={close}
        />
      )}
    </SidePanel>
  )
}
