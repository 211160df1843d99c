import '../mapping/mapping.css'
import { Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Inherited, type Place, usePlaces } from '../frame/above.tsx'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { makes, mappings } from '../mapping/api.ts'
import { dropDraft, hasDraft, type Mapping } from '../mapping/draft.ts'
import { Editor } from '../mapping/Editor.tsx'
import { installations } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'

export type MappingsSearch = {
  /** The mapping that is open. */
  id?: number
  add?: true
  /** It is a mapping of the organization. */
  of?: 'organization'
}

/** How messages of devices become values. */
export function MappingsPage() {
  const { mapping: t } = useTexts()
  const { id: installation_id } = useParams({ from: '/frame/installations/$id/mappings' })
  const search = useSearch({ from: '/frame/installations/$id/mappings' })
  const navigate = useNavigate({ from: '/installations/$id/mappings' })
  const set = (search: MappingsSearch) => void navigate({ search, resetScroll: false })
  const { own, above } = usePlaces(installation_id, 'mapping')
  const list = useQuery(mappings(own.owner))
  const inherited = useQuery({ ...mappings(above.owner), enabled: above.mayList })
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text className="muted" maw={620}>
          {t.help}
        </Text>
        {own.mayAdd && (
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
          <Text className="muted">{own.mayAdd ? t.emptyHelp : t.emptyAsk}</Text>
        </Stack>
      ) : (
        <Lines list={list.data} />
      )}
      {inherited.data && (
        <Inherited
          texts={t}
          isEmpty={inherited.data.length === 0}
          add={above.mayAdd ? () => set({ add: true, of: 'organization' }) : undefined}
        >
          <Lines list={inherited.data} of="organization" />
        </Inherited>
      )}
      <Panel
        {...{ installation_id, search, set }}
        place={search.of ? above : own}
        list={search.of ? inherited.data : list.data}
      />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['id', 'add', 'of']} />
    </Stack>
  )
}

type LinesProps = { list: readonly Mapping[]; of?: 'organization' }

const Lines = ({ list, of }: LinesProps) => (
  <Stack component="ul" className="mappings" gap="xs">
    {list.map((mapping) => (
      <Line key={mapping.id} mapping={mapping} of={of} />
    ))}
  </Stack>
)

const isMake = (name: string): name is (typeof makes)[number] => makes.some((one) => one === name)
const makeText = (make: string, t: Texts['mapping']): string =>
  isMake(make) ? t.makes[make] : make
/** The platform names a mapping after its make, unless it has a name. */
const titleOf = ({ name, make, filter }: Mapping, t: Texts['mapping']): string =>
  name === make && make !== '' ? makeText(make, t) : name || filter

function Line({ mapping, of }: { mapping: Mapping; of: 'organization' | undefined }) {
  const { mapping: t } = useTexts()
  const { id, make, filter, active, values } = mapping
  const title = titleOf(mapping, t)
  const kind = make === '' ? t.values(values.length) : makeText(make, t)
  return (
    <li className="panel mapping-line">
      <Link from="/installations/$id/mappings" search={{ id, of }} className="open" preload={false}>
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
  place: Place
  list: readonly Mapping[] | undefined
  search: MappingsSearch
  set: (search: MappingsSearch) => void
}

function Panel({ installation_id, place, list, search, set }: PanelProps) {
  const { mapping: t } = useTexts()
  const { id, add = false, of } = search
  const { owner, mayAdd, mayUpdate } = place
  const installation = useQuery(installations).data?.find((one) => one.id === installation_id)
  const mapping = list?.find((one) => one.id === id)
  const isOpen = add || id !== undefined
  const close = () => set({})
  return (
    <SidePanel
      isOpen={isOpen}
      close={close}
      size={980}
      title={add ? (of ? t.createAbove : t.create) : mapping ? titleOf(mapping, t) : t.title}
    >
      {!installation || !list ? (
        <Skeleton h={300} />
      ) : !add && !mapping ? (
        <Text role="alert">{t.notThere}</Text>
      ) : (
        <Editor
          key={`${owner.kind} ${mapping?.id ?? 'new'}`}
          installation={installation}
          owner={owner}
          mapping={mapping}
          may={{ save: mapping ? mayUpdate : mayAdd, delete: mayAdd }}
          saved={close}
          deleted={close}
        />
      )}
    </SidePanel>
  )
}
