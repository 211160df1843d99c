import '../app/app.css'
import { Badge, Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { edgeApps, instances, versionsOf } from '../app/api.ts'
import { draftOf, dropDraft, hasDraft, type Instance } from '../app/draft.ts'
import { Editor, NewInstance } from '../app/Editor.tsx'
import { Picker } from '../app/Picker.tsx'
import { newerThan, titleOf } from '../app/versions.ts'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { permissions, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'

export type AppsSearch = {
  /** What is open of the installation. */
  id?: number
  /** The catalogue is open. */
  add?: true
  /** The app that will be installed. */
  app?: number
}

/** The edge apps of an installation. */
export function AppsPage() {
  const { apps: t } = useTexts()
  const { id: installation_id } = useParams({ from: '/frame/installations/$id/apps' })
  const search = useSearch({ from: '/frame/installations/$id/apps' })
  const navigate = useNavigate({ from: '/installations/$id/apps' })
  const set = (search: AppsSearch) => void navigate({ search, resetScroll: false })
  const list = useQuery(instances(installation_id))
  const may = useQuery(rights(installation_id)).data
  const mayAdd = may?.['edge/app/configured/create_delete'] === true
  const mayList = useMayList()
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text className="muted" maw={620}>
          {t.help}
        </Text>
        {mayAdd && mayList && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set({ add: true })}
          >
            {t.install}
          </Button>
        )}
      </Group>
      {mayAdd && mayList === false && <Text className="muted">{t.needsList}</Text>}
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
        <Stack component="ul" className="apps" gap="xs">
          {list.data.map((instance) => (
            <Line key={instance.id} instance={instance} />
          ))}
        </Stack>
      )}
      <Panel
        {...{ installation_id, search, set, mayAdd }}
        list={list.data}
        mayUpdate={may?.['edge/app/configured/update'] === true}
      />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['id', 'add', 'app']} />
    </Stack>
  )
}

/** Whether the caller may read the catalogue; undefined until it is known. */
const useMayList = (): boolean | undefined => {
  const { data } = useQuery(permissions)
  return data && data['edge/app/list'] === true
}

/** The name of an app, as far as the caller may know it. */
function useAppName(): (id: number) => string {
  const { apps: t } = useTexts()
  const { data = [] } = useQuery({ ...edgeApps, enabled: useMayList() === true })
  const names = new Map(data.map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? t.appNumber(id)
}

function Line({ instance }: { instance: Instance }) {
  const { apps: t } = useTexts()
  const { id, app_id, name, version, updated } = instance
  const moment = useMoment(instance.installation_id)
  const appName = useAppName()(app_id)
  const { data = [] } = useQuery({ ...versionsOf(app_id), enabled: useMayList() === true })
  const newer = data.length > 0 ? newerThan(data, version) : undefined
  const title = name || appName
  return (
    <li className="panel app-line">
      <Group gap="4px 12px">
        <Link from="/installations/$id/apps" search={{ id }} className="open" preload={false}>
          {title}
        </Link>
        {title !== appName && <span className="muted">{appName}</span>}
        {newer && (
          <Badge variant="light" color="gray" tt="none">
            {t.isNewer(newer.name)}
          </Badge>
        )}
      </Group>
      <Text className="muted">
        {t.versionIs(titleOf(data, version))} · {t.changed(moment(updated))}
      </Text>
    </li>
  )
}

type PanelProps = {
  installation_id: number
  search: AppsSearch
  set: (search: AppsSearch) => void
  list: Instance[] | undefined
  mayAdd: boolean
  mayUpdate: boolean
}

function Panel({ installation_id, search, set, list, mayAdd, mayUpdate }: PanelProps) {
  const { apps: t } = useTexts()
  const nameOf = useAppName()
  const catalogue = useQuery({ ...edgeApps, enabled: search.app !== undefined })
  const instance = list?.find(({ id }) => id === search.id)
  const app = catalogue.data?.find(({ id }) => id === search.app)
  const done = () => set({})
  const content = () => {
    if (search.add) return <Picker />
    if (search.app !== undefined) {
      if (catalogue.error) {
        return <Problem error={catalogue.error} again={() => void catalogue.refetch()} />
      }
      if (!catalogue.data) return <Skeleton h={300} />
      if (!app) return <Text role="alert">{t.appGone}</Text>
      const may = { save: mayAdd, delete: false }
      return <NewInstance key={app.id} {...{ installation_id, app, may, done }} />
    }
    if (!list) return <Skeleton h={300} />
    if (!instance) return <Text role="alert">{t.notThere}</Text>
    return (
      <Editor
        key={instance.id}
        {...{ installation_id, instance, done }}
        app={{ id: instance.app_id, name: nameOf(instance.app_id) }}
        saved={draftOf(instance)}
        may={{ save: mayUpdate, delete: mayAdd }}
      />
    )
  }
  const title = search.add
    ? t.install
    : app
      ? app.name
      : instance
        ? instance.name || nameOf(instance.app_id)
        : t.title
  return (
    <SidePanel
      isOpen={search.add === true || search.app !== undefined || search.id !== undefined}
      close={done}
      size={620}
      title={title}
    >
      {content()}
    </SidePanel>
  )
}
