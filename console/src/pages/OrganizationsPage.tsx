import '../account/account.css'
import '../modelx/modelx.css'
import '../user/user.css'
import '../organization/organization.css'
import { Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo } from 'react'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { Details } from '../organization/Details.tsx'
import { drafts } from '../organization/draft.ts'
import { New } from '../organization/New.tsx'
import { drafts as quotaDrafts } from '../organization/quota-drafts.ts'
import { type Counts, Tree } from '../organization/Tree.tsx'
import { branchesOf, countsOf, found } from '../organization/tree.ts'
import { type TreeOf, useTree } from '../organization/useTree.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { organizationTree } from '../user/api.ts'

export type OrganizationsSearch = {
  text?: string
  /** The organization that is open. */
  id?: number
  /** A new one is made below this one. */
  under?: number
}

/** Nobody announces a new organization. */
const LIST_MS = 60_000

/** Who has the installations and the users, as a tree. */
export function OrganizationsPage() {
  const { organizations: t } = useTexts()
  const search = useSearch({ from: '/frame/organizations' })
  const set = useSetSearch()
  const tree = useTree()
  const language = useLanguage()
  const list = useQuery({ ...organizationTree, refetchInterval: LIST_MS })
  const { text = '' } = search
  const branches = useMemo(() => branchesOf(tree.all, language), [tree.all, language])
  const shown = useMemo(() => found(branches, text), [branches, text])
  const counts = useCounts(tree)
  const top = branches[0]
  const mayAdd = tree.may['organization/create_delete'] === true && top !== undefined
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1}>{t.title}</Title>
          <Text className="muted" maw={620}>
            {t.help}
          </Text>
        </div>
        {mayAdd && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set({ under: top.id, id: undefined })}
          >
            {t.create}
          </Button>
        )}
      </Group>
      <TextInput
        type="search"
        maw={420}
        aria-label={t.filter}
        placeholder={t.filter}
        value={text}
        onChange={(event) => set({ text: event.currentTarget.value || undefined }, true)}
      />
      {list.isLoadingError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : !list.data ? (
        <Skeleton h={260} radius={12} />
      ) : shown.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs" align="flex-start">
          <Text fw={600}>{text ? t.noneMatch : t.empty}</Text>
          {text && (
            <Button variant="default" onClick={() => set({ text: undefined })}>
              {t.showEvery}
            </Button>
          )}
        </Stack>
      ) : (
        <nav className="panel" aria-label={t.title}>
          <Tree branches={shown} isOpen={text.trim() !== ''} {...counts} />
        </nav>
      )}
      <Panel search={search} tree={tree} isLoaded={list.data !== undefined} />
      <Leaving
        hasDraft={() => drafts.has() || quotaDrafts.has()}
        dropDraft={() => {
          drafts.drop()
          quotaDrafts.drop()
        }}
        keys={['id', 'under']}
      />
    </Stack>
  )
}

function useSetSearch() {
  const navigate = useNavigate({ from: '/organizations' })
  return (search: OrganizationsSearch, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace, resetScroll: false })
}

/** How many installations and users are in each organization and below it. */
function useCounts({ byId, installations, users }: TreeOf): {
  installations: Counts | undefined
  users: Counts | undefined
} {
  return useMemo(
    () => ({
      installations:
        installations &&
        countsOf(
          byId,
          installations.map((one) => [one.organization_id])
        ),
      users:
        users &&
        countsOf(
          byId,
          users.map(({ organisations }) => organisations)
        )
    }),
    [byId, installations, users]
  )
}

type PanelProps = { search: OrganizationsSearch; tree: TreeOf; isLoaded: boolean }

function Panel({ search: { id, under }, tree, isLoaded }: PanelProps) {
  const { organizations: t } = useTexts()
  const set = useSetSearch()
  const close = () => set({ id: undefined, under: undefined })
  const isThere = tree.byId.has(under ?? id ?? 0)
  return (
    <SidePanel
      isOpen={id !== undefined || under !== undefined}
      close={close}
      size={640}
      title={under === undefined ? (tree.byId.get(id ?? 0)?.name ?? t.title) : t.create}
    >
      {!isLoaded ? (
        <Skeleton h={400} />
      ) : !isThere ? (
        <Text role="alert">{t.notThere}</Text>
      ) : under !== undefined ? (
        <New
          key={under}
          {...{ under, tree }}
          made={(made) => set({ under: undefined, id: made.id }, true)}
        />
      ) : (
        id !== undefined && (
          <Details
            key={id}
            {...{ id, tree, close }}
            addBelow={() => set({ under: id, id: undefined })}
          />
        )
      )}
    </SidePanel>
  )
}
