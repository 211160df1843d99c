import '../rule/rule.css'
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Inherited, type Place, usePlaces } from '../frame/above.tsx'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { rulesOf } from '../rule/api.ts'
import { dropDraft, hasDraft } from '../rule/draft.ts'
import { Editor } from '../rule/Editor.tsx'
import { RuleLines } from '../rule/RuleLines.tsx'
import type { AnyRule } from '../rule/types.ts'
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

/** What raises alarms. */
export function RulesPage() {
  const { rule: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/rules' })
  const search = useSearch({ from: '/frame/installations/$id/rules' })
  const navigate = useNavigate({ from: '/installations/$id/rules' })
  const set = (search: RulesSearch) => void navigate({ search, resetScroll: false })
  const { own, above } = usePlaces(id, 'rule')
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
          texts={t}
          isEmpty={inherited.data.length === 0}
          add={above.mayAdd ? () => set({ add: true, of: 'organization' }) : undefined}
        >
          <RuleLines id={id} list={inherited.data} of="organization" />
        </Inherited>
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
