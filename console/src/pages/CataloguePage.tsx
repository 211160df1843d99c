import '../app/app.css'
import { Badge, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { edgeApps } from '../app/api.ts'
import { foundApps } from '../app/found.ts'
import type { EdgeApp } from '../app/types.ts'
import { About } from '../catalogue/About.tsx'
import { AppForm } from '../catalogue/AppForm.tsx'
import { publishers } from '../catalogue/api.ts'
import { appDrafts } from '../catalogue/drafts.ts'
import { Upload } from '../catalogue/Upload.tsx'
import { Versions } from '../catalogue/Versions.tsx'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { me, OTHERS_MS, permissions } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'

export type CatalogueSearch = {
  /** The app that is open. */
  id?: number
  add?: true
  find?: string
}

const MAX_SHOWN = 100

/** The edge apps that can be installed, and those that the caller's organizations publish. */
export function CataloguePage() {
  const { apps, catalogue: t } = useTexts()
  const search = useSearch({ from: '/frame/catalogue' })
  const navigate = useNavigate({ from: '/catalogue' })
  const { find = '' } = search
  const list = useQuery({ ...edgeApps, refetchInterval: OTHERS_MS })
  const may = useQuery(permissions).data
  const mayCreate = may?.['edge/app/create'] === true
  const found = foundApps(list.data ?? [], find)
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1}>{t.title}</Title>
        {mayCreate && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => void navigate({ search: { find: search.find, add: true } })}
          >
            {t.create}
          </Button>
        )}
      </Group>
      <Text className="muted" maw={620}>
        {t.intro}
      </Text>
      {list.isError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={240} radius={12} />
      ) : list.data.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">{mayCreate ? t.emptyHelp : t.emptyAsk}</Text>
        </Stack>
      ) : (
        <>
          <TextInput
            label={apps.find}
            maw={440}
            value={find}
            onChange={(event) =>
              void navigate({
                search: { find: event.currentTarget.value || undefined },
                replace: true,
                resetScroll: false
              })
            }
          />
          {found.length === 0 && <Text>{apps.noneMatch}</Text>}
          <Stack component="ul" className="apps" gap="xs">
            {found.slice(0, MAX_SHOWN).map((app) => (
              <Line key={app.id} app={app} find={search.find} />
            ))}
          </Stack>
          {found.length > MAX_SHOWN && (
            <Text className="muted">{apps.more(found.length - MAX_SHOWN)}</Text>
          )}
        </>
      )}
      <Panel list={list.data} search={search} />
      <Leaving hasDraft={appDrafts.has} dropDraft={appDrafts.drop} keys={['id', 'add']} />
    </Stack>
  )
}

function Line({ app, find }: { app: EdgeApp; find: string | undefined }) {
  const { apps, catalogue: t } = useTexts()
  return (
    <li className="panel app-line">
      <Group gap="4px 12px">
        <Link from="/catalogue" search={{ find, id: app.id }} className="open" preload={false}>
          {app.name}
        </Link>
        <span className="muted">{apps.by(app.publisher.name)}</span>
        {app.official && (
          <Badge variant="light" color="gray">
            {apps.official}
          </Badge>
        )}
        {!app.public && (
          <Badge variant="light" color="gray">
            {t.private}
          </Badge>
        )}
      </Group>
      {app.short_description !== '' && <Text>{app.short_description}</Text>}
    </li>
  )
}

/** The organizations that the caller may publish for. */
function usePublishers(): { id: number; name: string }[] {
  const { catalogue: t } = useTexts()
  const may = useQuery(permissions).data
  const mayList = may?.['organization/list'] === true || may?.['organization/list/all'] === true
  const { data } = useQuery({ ...publishers, enabled: mayList })
  const own = useQuery(me).data?.organisations ?? []
  return data ?? own.map((id) => ({ id, name: t.organizationNumber(id) }))
}

type PanelProps = { list: EdgeApp[] | undefined; search: CatalogueSearch }

function Panel({ list, search: { id, add, find } }: PanelProps) {
  const { catalogue: t } = useTexts()
  const navigate = useNavigate({ from: '/catalogue' })
  const may = useQuery(permissions).data
  const organizations = usePublishers()
  const app = list?.find((one) => one.id === id)
  const isPublisher =
    may?.['edge/app/update'] === true && organizations.some((one) => one.id === app?.publisher.id)
  const open = (next: CatalogueSearch) =>
    void navigate({ search: { find, ...next }, resetScroll: false })
  const form = (
    <AppForm
      key={app?.id ?? 'new'}
      app={app}
      publishers={organizations}
      mayBless={may?.['#'] === true}
      saved={(stored) => open({ id: stored.id })}
      deleted={() => open({})}
    />
  )
  return (
    <SidePanel
      isOpen={add === true || id !== undefined}
      close={() => open({})}
      size={680}
      title={add ? t.create : (app?.name ?? t.title)}
    >
      {!list || !may ? (
        <Skeleton h={300} />
      ) : add ? (
        form
      ) : !app ? (
        <Text role="alert">{t.notThere}</Text>
      ) : (
        <Stack gap="lg" pb="md">
          {isPublisher ? form : <About app={app} />}
          <Versions app_id={app.id} isPublisher={isPublisher} />
          {isPublisher && <Upload key={app.id} app_id={app.id} />}
        </Stack>
      )}
    </SidePanel>
  )
}
