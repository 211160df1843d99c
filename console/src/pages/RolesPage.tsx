import '../platform/platform.css'
import '../role/role.css'
import { Button, Group, SegmentedControl, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback } from 'react'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { type Role, roles } from '../role/api.ts'
import { dropDraft, hasDraft } from '../role/draft.ts'
import { Editor } from '../role/Editor.tsx'
import { type Rights, useRights } from '../role/lock.ts'
import { RoleList } from '../role/RoleList.tsx'
import { type Question, Why } from '../role/Why.tsx'
import { useTexts } from '../texts/texts.ts'

export type RolesSearch = Question & {
  /** The role that is open. */
  id?: number
  add?: true
  view?: 'why'
}

/** What users may do, and why one of them may. */
export function RolesPage() {
  const { roles: t } = useTexts()
  const search = useSearch({ from: '/frame/roles' })
  const navigate = useNavigate({ from: '/roles' })
  const set = (search: RolesSearch) => void navigate({ search, resetScroll: false })
  const ask = useCallback(
    (question: Question) =>
      void navigate({ search: { ...question, view: 'why' }, resetScroll: false, replace: true }),
    [navigate]
  )
  const rights = useRights()
  const list = useQuery(roles)
  const { user, permission, installation, id, add = false } = search
  const isWhy = search.view === 'why' || user !== undefined || permission !== undefined
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={1}>{t.title}</Title>
          <Text className="muted">{t.help}</Text>
        </div>
        {rights.mayCreate && !isWhy && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set({ add: true })}
          >
            {t.create}
          </Button>
        )}
      </Group>
      <SegmentedControl
        aria-label={t.view}
        style={{ alignSelf: 'flex-start' }}
        value={isWhy ? 'why' : 'list'}
        onChange={(view) => set(view === 'why' ? { view: 'why' } : {})}
        data={[
          { value: 'list', label: t.list },
          { value: 'why', label: t.why }
        ]}
      />
      {isWhy ? (
        <Why
          question={{ user, permission, installation }}
          set={ask}
          mayExplain={rights.mayExplain}
        />
      ) : list.isError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={240} radius={12} />
      ) : (
        <RoleList list={list.data} own={rights.roleId} />
      )}
      <Panel {...{ id, add, rights }} list={list.data} close={() => set({})} />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['id', 'add']} />
    </Stack>
  )
}

type PanelProps = {
  id: number | undefined
  add: boolean
  rights: Rights
  list: Role[] | undefined
  close: () => void
}

function Panel({ id, add, rights, list, close }: PanelProps) {
  const { roles: t } = useTexts()
  const role = list?.find((one) => one.id === id)
  return (
    <SidePanel
      isOpen={add || id !== undefined}
      close={close}
      size={760}
      title={add ? t.create : (role?.name ?? t.title)}
    >
      {!list ? (
        <Skeleton h={300} />
      ) : !add && !role ? (
        <Text role="alert">{t.notThere}</Text>
      ) : (
        <Editor key={role?.id ?? 'new'} {...{ role, rights }} saved={close} deleted={close} />
      )}
    </SidePanel>
  )
}
