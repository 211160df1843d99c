import '../rule/rule.css'
import { Badge, Button, Group, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core'
import { IconBellOff, IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { Severity } from '../alarm/Severity.tsx'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { useAllRows } from '../plot/use-rows.ts'
import { installations, permissions, rights } from '../queries.ts'
import { organizationRules, rules } from '../rule/api.ts'
import { dropDraft, hasDraft } from '../rule/draft.ts'
import { Editor } from '../rule/Editor.tsx'
import type { OrganizationRule, Rule, RuleFields } from '../rule/types.ts'
import { useWords, type Words } from '../rule/words.ts'
import { NobodyTold, useUnheard } from '../tell/Reach.tsx'
import { listed } from '../tell/settings.ts'
import { useTexts } from '../texts/texts.ts'

export type RulesSearch = {
  /** The rule that is open. */
  id?: number
  add?: true
  /** What a new rule watches. */
  topics?: string[]
}

const PER_PAGE = 100
const noList: readonly Rule[] = []
/** So few are seen without a filter. */
const FEW = 10

/** What raises alarms. */
export function RulesPage() {
  const { rule: t } = useTexts()
  const { id: installation_id } = useParams({ from: '/frame/installations/$id/rules' })
  const { id, add = false, topics } = useSearch({ from: '/frame/installations/$id/rules' })
  const navigate = useNavigate({ from: '/installations/$id/rules' })
  const set = (search: RulesSearch) => void navigate({ search, resetScroll: false })
  const list = useQuery(rules(installation_id))
  const may = useQuery(rights(installation_id)).data
  const mayAdd = may?.['rule/create_delete'] === true
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
      <Unheard id={installation_id} list={list.data ?? noList} />
      {list.isError ? (
        <Problem error={list.error} again={() => void list.refetch()} needs="rule/list" />
      ) : list.isPending ? (
        <Skeleton h={160} radius={12} />
      ) : list.data.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">{mayAdd ? t.emptyHelp : t.emptyAsk}</Text>
        </Stack>
      ) : (
        <Lines id={installation_id} list={list.data} />
      )}
      <Inherited id={installation_id} />
      <Panel
        {...{ installation_id, id, add, topics, mayAdd }}
        list={list.data}
        mayUpdate={may?.['rule/update'] === true}
        set={set}
      />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['id', 'add', 'topics']} />
    </Stack>
  )
}

/** Rules in use whose alarms would reach nobody. */
function Unheard({ id, list }: { id: number; list: readonly Rule[] }) {
  const { tell: t, alarm } = useTexts()
  const inherited = useInherited(id)
  const used = new Set([...list, ...inherited].flatMap((one) => (one.active ? one.severity : [])))
  const missing = useUnheard(id).filter((one) => used.has(one))
  const names = listed(
    missing.map((one) => alarm.severities[one]),
    t.and
  )
  return <NobodyTold id={id} text={t.reach.nobody(names)} missing={missing} />
}

function Lines({ id, list }: { id: number; list: readonly Rule[] }) {
  const { rule: t } = useTexts()
  const unheard = useUnheard(id)
  const words = useWords(useAllRows(id).all)
  const [text, setText] = useState('')
  const [most, setMost] = useState(PER_PAGE)
  const wanted = text.toLowerCase()
  const found = list
    .map((rule) => ({ rule, words: words(rule) }))
    .filter(({ rule: { name, message }, words: { on, when } }) =>
      `${name} ${message} ${on} ${when}`.toLowerCase().includes(wanted)
    )
    .sort((a, b) => a.rule.name.localeCompare(b.rule.name) || a.rule.id - b.rule.id)
  return (
    <>
      {list.length > FEW && (
        <TextInput
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={text}
          maw={360}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {found.length === 0 && <Text className="muted">{t.noneMatch}</Text>}
      <ul className="rules">
        {found.slice(0, most).map(({ rule, words }) => (
          <Line key={rule.id} rule={rule} words={words} unheard={unheard}>
            <Link
              from="/installations/$id/rules"
              search={{ id: rule.id }}
              className="open"
              preload={false}
            >
              {rule.name || words.on}
            </Link>
          </Line>
        ))}
      </ul>
      {found.length > most && (
        <Button variant="default" onClick={() => setMost(most + PER_PAGE)}>
          {t.more}
        </Button>
      )}
    </>
  )
}

type LineProps = {
  rule: RuleFields
  words: Words
  unheard: readonly RuleFields['severity'][]
  children: React.ReactNode
}

function Line({ rule, words, unheard, children }: LineProps) {
  const { rule: t, tell } = useTexts()
  return (
    <li className="panel rule-line">
      {children}
      <Group gap="xs">
        {!rule.active && (
          <Badge color="gray" variant="light">
            {t.off}
          </Badge>
        )}
        {rule.active && unheard.includes(rule.severity) && (
          <span className="rule-unheard">
            <IconBellOff size={16} aria-hidden />
            {tell.reach.rule}
          </span>
        )}
        <Severity severity={rule.severity} />
      </Group>
      <span className="muted">
        {rule.name && `${words.on}: `}
        {words.when}
      </span>
    </li>
  )
}

const noRules: readonly OrganizationRule[] = []

/** Rules of the organization hold here too. Who may not list them sees none. */
function useInherited(id: number): readonly OrganizationRule[] {
  const organization = useQuery(installations).data?.find((one) => one.id === id)?.organization_id
  const may = useQuery(permissions).data
  const enabled = organization !== undefined && may?.['rule/list/all'] === true
  return useQuery({ ...organizationRules(organization ?? 0), enabled }).data ?? noRules
}

function Inherited({ id }: { id: number }) {
  const { rule: t } = useTexts()
  const data = useInherited(id)
  const unheard = useUnheard(id)
  const words = useWords(useAllRows(id).all)
  if (data.length === 0) return null
  return (
    <Stack gap="xs" component="section" aria-label={t.inherited}>
      <Title order={2} size="h4">
        {t.inherited}
      </Title>
      <Text className="muted">{t.inheritedHelp}</Text>
      <ul className="rules">
        {data.slice(0, PER_PAGE).map((rule) => (
          <Line key={rule.id} rule={rule} words={words(rule)} unheard={unheard}>
            <Text fw={600}>{rule.name || words(rule).on}</Text>
          </Line>
        ))}
      </ul>
    </Stack>
  )
}

type PanelProps = {
  installation_id: number
  id: number | undefined
  add: boolean
  topics: string[] | undefined
  list: Rule[] | undefined
  mayAdd: boolean
  mayUpdate: boolean
  set: (search: RulesSearch) => void
}

const none: readonly string[] = []

function Panel({ installation_id, id, add, topics, list, mayAdd, mayUpdate, set }: PanelProps) {
  const { rule: t } = useTexts()
  const rule = list?.find((one) => one.id === id)
  const isOpen = add || id !== undefined
  const close = () => set({})
  return (
    <SidePanel
      isOpen={isOpen}
      close={close}
      size={1180}
      title={add ? t.create : rule?.name || t.title}
    >
      {!list ? (
        <Skeleton h={300} />
      ) : !add && !rule ? (
        <Text role="alert">{t.notThere}</Text>
      ) : (
        <Editor
          key={rule?.id ?? 'new'}
          installation_id={installation_id}
          rule={rule}
          topics={topics ?? none}
          may={{ save: rule ? mayUpdate : mayAdd, delete: mayAdd }}
          saved={close}
          deleted={close}
        />
      )}
    </SidePanel>
  )
}
