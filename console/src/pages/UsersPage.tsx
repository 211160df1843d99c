import '../account/account.css'
import '../connect/connect.css'
import '../modelx/modelx.css'
import '../user/user.css'
import { Button, Group, Select, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { users } from '../user/api.ts'
import { drafts } from '../user/draft.ts'
import { NewUser } from '../user/NewUser.tsx'
import { type People, usePeople } from '../user/people.ts'
import { type Line, nameOf, wantedLines } from '../user/rows.ts'
import type { User } from '../user/types.ts'
import { UserDetails } from '../user/UserDetails.tsx'
import { ROW_PX, UserTable } from '../user/UserTable.tsx'

export type UsersSearch = {
  text?: string
  /** Members of it and of those below. */
  organization?: number
  role?: number
  /** The user who is open. */
  id?: number
  add?: true
}

const MAX_CHOICES = 100
const ROWS_BEFORE = 8
/** Nobody announces a new user, and the list may be long. */
const LIST_MS = 60_000
const none: User[] = []

/** Who has an account, and what each of them may do. */
export function UsersPage() {
  const { users: t } = useTexts()
  const search = useSearch({ from: '/frame/users' })
  const { text = '', organization, role } = search
  const set = useSetSearch()
  const people = usePeople()
  const list = useQuery({ ...users, refetchInterval: LIST_MS })
  const lines = useLines(list.data ?? none, people)
  const rows = wantedLines(lines, { text, organization, role }, people.tree)
  const isFiltered = text !== '' || organization !== undefined || role !== undefined
  const mayAdd = people.may['user/create/delete'] === true
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Title order={1}>{t.title}</Title>
        {mayAdd && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set({ add: true, id: undefined })}
          >
            {t.create}
          </Button>
        )}
      </Group>
      <Filters {...{ search, people, lines }} />
      {list.data && (
        <Text className="muted">
          {isFiltered ? t.countOf(rows.length, lines.length) : t.count(lines.length)}
        </Text>
      )}
      {list.isLoadingError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : !list.data ? (
        <Skeleton h={38 + ROW_PX * ROWS_BEFORE} radius={12} />
      ) : rows.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs" align="flex-start">
          <Text fw={600}>{t.noneMatch}</Text>
          <Button
            variant="default"
            onClick={() => set({ text: undefined, organization: undefined, role: undefined })}
          >
            {t.showEverybody}
          </Button>
        </Stack>
      ) : (
        <UserTable lines={rows} />
      )}
      <Panel {...{ search, people }} list={list.data} />
      <Leaving hasDraft={drafts.has} dropDraft={drafts.drop} keys={['id', 'add']} />
    </Stack>
  )
}

function useSetSearch() {
  const navigate = useNavigate({ from: '/users' })
  return (search: UsersSearch, replace = false) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace, resetScroll: false })
}

function useLines(all: readonly User[], people: People): Line[] {
  const language = useLanguage()
  return useMemo(() => {
    const order = new Intl.Collator(language, { numeric: true })
    return all
      .map((user) => ({
        user,
        name: nameOf(user),
        role: people.roleName(user.role),
        organizations: user.organisations.map(people.organizationName).join(', ')
      }))
      .sort((a, b) => order.compare(a.name, b.name) || a.user.id - b.user.id)
  }, [all, people, language])
}

type FiltersProps = { search: UsersSearch; people: People; lines: readonly Line[] }

function Filters({ search, people, lines }: FiltersProps) {
  const { users: t } = useTexts()
  const set = useSetSearch()
  const { text = '', organization, role } = search
  const roles = new Map(lines.map((line) => [line.user.role, line.role]))
  return (
    <Group gap="xs" className="filters">
      <TextInput
        className="wide"
        type="search"
        aria-label={t.filter}
        placeholder={t.filter}
        value={text}
        onChange={(event) => set({ text: event.currentTarget.value || undefined }, true)}
      />
      {people.tree.length > 1 && (
        <Select
          className="half"
          aria-label={t.filterOrganization}
          placeholder={t.columns.organizations}
          data={people.tree.map(({ id, name }) => ({ value: String(id), label: name }))}
          value={organization === undefined ? null : String(organization)}
          searchable
          clearable
          clearButtonProps={{ 'aria-label': t.anyOrganization }}
          limit={MAX_CHOICES}
          onChange={(id) => set({ organization: id === null ? undefined : Number(id) }, true)}
        />
      )}
      <Select
        className="half"
        aria-label={t.filterRole}
        placeholder={t.filterRole}
        data={[...roles].map(([id, label]) => ({ value: String(id), label }))}
        value={role === undefined ? null : String(role)}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': t.anyRole }}
        limit={MAX_CHOICES}
        onChange={(id) => set({ role: id === null ? undefined : Number(id) }, true)}
      />
    </Group>
  )
}

type PanelProps = { search: UsersSearch; people: People; list: User[] | undefined }

function Panel({ search, people, list }: PanelProps) {
  const { users: t } = useTexts()
  const set = useSetSearch()
  const [invited, setInvited] = useState<number>()
  const { id, add = false, organization } = search
  const user = list?.find((one) => one.id === id)
  const close = () => set({ id: undefined, add: undefined })
  return (
    <SidePanel
      isOpen={add || id !== undefined}
      close={close}
      size={720}
      title={add ? t.create : user ? nameOf(user) : t.title}
    >
      {!list || !people.own ? (
        <Skeleton h={300} />
      ) : add ? (
        <NewUser
          {...{ people, organization }}
          made={(user, isInvited) => {
            setInvited(isInvited ? user.id : undefined)
            set({ add: undefined, id: user.id }, true)
          }}
        />
      ) : user ? (
        <UserDetails key={user.id} {...{ user, people, close }} isInvited={invited === user.id} />
      ) : (
        <Text role="alert">{t.notThere}</Text>
      )}
    </SidePanel>
  )
}
