import '../rule/rule.css'
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { installations, permissions, rights } from '../queries.ts'
import { rulesOf } from '../rule/api.ts'
import { dropDraft, hasDraft } from '../rule/draft.ts'
import { Editor } from '../rule/Editor.tsx'
import { RuleLines } from '../rule/RuleLines.tsx'
import type { AnyRule, Owner } from '../rule/types.ts'
import { NobodyTold, useUnheard } from '../tell/Reach.tsx'
import { listed } from '../tell/settings.ts'
import { useTexts } from '../texts/texts.ts'

export type RulesSearch = {
  /** The rule that is open. */
  id?: number
  add?: true
  /** It is a rule of the organization. */
  of?: 'organization'
  /** What a new rule watches. */
  topics?: string[]
}

/** Who has the rules, and what the caller may do with them. */
type Place = { owner: Owner; mayAdd: boolean; mayUpdate: boolean }

/** What raises alarms. */
export function RulesPage() {
  const { rule: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/rules' })
  const search = useSearch({ from: '/frame/installations/$id/rules' })
  const navigate = useNavigate({ from: '/installations/$id/rules' })
  const set = (search: RulesSearch) => void navigate({ search, resetScroll: false })
  const may = useQuery(rights(id)).data
  const own: Place = {
    owner: { kind: 'installation', id },
    mayAdd: may?.['rule/create_delete'] === true,
    mayUpdate: may?.['rule/update'] === true
  }
  const above = usePlaceAbove(id)
  const list = useQuery(rulesOf(own.owner))
  const inherited = useQuery({ ...rulesOf(above.owner), enabled: above.mayList })
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
      <Unheard id={id} list={[...(list.data ?? []), ...(inherited.data ?? [])]} />
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
        <RuleLines id={id} list={list.data} />
      )}
      {inherited.data && (
        <Inherited
          id={id}
          list={inherited.data}
          add={above.mayAdd ? () => set({ add: true, of: 'organization' }) : undefined}
        />
      )}
      <Panel
        {...{ id, search, set }}
        place={search.of ? above : own}
        list={search.of ? inherited.data : list.data}
      />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['id', 'add', 'of', 'topics']} />
    </Stack>
  )
}

/** The organization of the installation. Who may not list its rules sees none. */
function usePlaceAbove(id: number): Place & { mayList: boolean } {
  const organization = useQuery(installations).data?.find((one) => one.id === id)?.organization_id
  const may = useQuery(permissions).data
  return {
    owner: { kind: 'organization', id: organization ?? 0 },
    mayList: organization !== undefined && may?.['rule/list/all'] === true,
    mayAdd: may?.['rule/create_delete/all'] === true,
    mayUpdate: may?.['rule/update/all'] === true
  }
}

/** Rules in use whose alarms would reach nobody. */
function Unheard({ id, list }: { id: number; list: readonly AnyRule[] }) {
  const { tell: t, alarm } = useTexts()
  const used = new Set(list.flatMap((one) => (one.active ? one.severity : [])))
  const missing = useUnheard(id).filter((one) => used.has(one))
  const names = listed(
    missing.map((one) => alarm.severities[one]),
    t.and
  )
  return <NobodyTold id={id} text={t.reach.nobody(names)} missing={missing} />
}

type InheritedProps = { id: number; list: readonly AnyRule[]; add: (() => void) | undefined }

/** Rules of the organization hold here too. */
function Inherited({ id, list, add }: InheritedProps) {
  const { rule: t } = useTexts()
  if (list.length === 0 && !add) return null
  return (
    <Stack gap="xs" component="section" aria-label={t.inherited} mt="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h4">
            {t.inherited}
          </Title>
          <Text className="muted">{t.inheritedHelp}</Text>
        </div>
        {add && (
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            {t.createAbove}
          </Button>
        )}
      </Group>
      {list.length > 0 && <RuleLines id={id} list={list} of="organization" />}
    </Stack>
  )
}

type PanelProps = {
  id: number
  place: Place
  list: AnyRule[] | undefined
  search: RulesSearch
  set: (search: RulesSearch) => void
}

const none: readonly string[] = []

function Panel({ id, place, list, search, set }: PanelProps) {
  const { rule: t } = useTexts()
  const { add = false, of, topics = none } = search
  const { owner, mayAdd, mayUpdate } = place
  const rule = list?.find((one) => one.id === search.id)
  const isOpen = add || search.id !== undefined
  const close = () => set({})
  return (
    <SidePanel
      isOpen={isOpen}
      close={close}
      size={1180}
      title={add ? (of ? t.createAbove : t.create) : rule?.name || t.title}
    >
      {!list ? (
        <Skeleton h={300} />
      ) : !add && !rule ? (
        <Text role="alert">{t.notThere}</Text>
      ) : (
        <>
          {of && (
            <Text className="muted" mb="sm">
              {t.aboveHelp}
            </Text>
          )}
          <Editor
            key={`${owner.kind} ${rule?.id ?? 'new'}`}
            installation_id={id}
            {...{ owner, rule, topics }}
            may={{ save: rule ? mayUpdate : mayAdd, delete: mayAdd }}
            saved={close}
            deleted={close}
          />
        </>
      )}
    </SidePanel>
  )
}
