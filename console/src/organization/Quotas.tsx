import { Button, Group, SimpleGrid, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { ChangedMeanwhile, saveOnSeen } from '../edit/save.ts'
import { Problem } from '../frame/Problem.tsx'
import { Fault } from '../modelx/Details.tsx'
import { OTHERS_MS, queryClient } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { told } from '../user/people.ts'
import { type Quota, quota, readQuotas, updateQuota, usage } from './api.ts'
import { drafts } from './quota-drafts.ts'
import {
  amountText,
  bodyOf,
  draftOf,
  type QuotaDraft,
  readQuota,
  type Settable,
  settable,
  typedOf
} from './quotas.ts'
import type { TreeOf } from './useTree.ts'

type Props = { id: number; tree: TreeOf }

/** How much of each quota is used, and the quotas of its own. */
export function Quotas({ id, tree }: Props) {
  const { organizations: t, users } = useTexts()
  const used = useQuery({ ...usage(id), refetchInterval: OTHERS_MS })
  const limits = useQuery({ ...quota(id), refetchInterval: OTHERS_MS })
  // Only the topmost organization of the platform has no limit.
  const root = useQuery(quota(tree.rootOf(id))).data
  const isTop = limits.data?.effective.topics === null
  const reachesTop = root?.effective.topics === null
  const mayUpdate = tree.may['organization/update'] === true
  const [isEditing, setEditing] = useState(false)
  const error = used.error ?? limits.error
  if (error) {
    const again = () => void Promise.all([used.refetch(), limits.refetch()])
    return <Problem error={error} again={again} />
  }
  if (!used.data || !limits.data) return <Skeleton h={320} />
  return (
    <Stack gap="sm">
      <UsageTable usage={used.data} quota={limits.data} />
      {isTop ? (
        <Text className="muted">{t.topHasNone}</Text>
      ) : !reachesTop ? (
        <Text className="muted">{t.quotasByTop}</Text>
      ) : !mayUpdate ? (
        <Text className="muted">{users.mayNotEdit('organization/update')}</Text>
      ) : isEditing || drafts.baseOf(ofQuota(id)) !== undefined ? (
        <EditQuotas id={id} quota={limits.data} tree={tree} close={() => setEditing(false)} />
      ) : (
        <Group>
          <Button variant="default" onClick={() => setEditing(true)}>
            {t.setQuotas}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

const ofQuota = (id: number): string => `quota ${id}`

type UsageProps = {
  usage: Readonly<Record<string, { used: number; quota: number | null }>>
  quota: Quota
}

function UsageTable({ usage, quota }: UsageProps) {
  const { organizations: t } = useTexts()
  const locale = useLocale()
  const amount = (name: string, value: number | null) =>
    value === null ? t.noLimit : amountText(name, value, locale)
  const days = quota.effective.history_days
  return (
    <Table.ScrollContainer minWidth={320}>
      <Table className="quotas" verticalSpacing={6}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.what}</Table.Th>
            <Table.Th ta="right">{t.used}</Table.Th>
            <Table.Th ta="right">{t.limit}</Table.Th>
            <Table.Th w={90} />
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {Object.entries(usage).map(([name, { used, quota }]) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{t.quotas[name as Settable]}</Table.Th>
              <Table.Td ta="right">{amount(name, used)}</Table.Td>
              <Table.Td ta="right">{amount(name, quota)}</Table.Td>
              <Table.Td>{quota !== null && <Bar part={quota === 0 ? 1 : used / quota} />}</Table.Td>
            </Table.Tr>
          ))}
          <Table.Tr>
            <Table.Th scope="row">{t.quotas.history_days}</Table.Th>
            <Table.Td />
            <Table.Td ta="right">{days === null ? t.forEver : t.days(days)}</Table.Td>
            <Table.Td />
          </Table.Tr>
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

const NEARLY_FULL = 0.9

/** The numbers beside it say the same. */
function Bar({ part }: { part: number }) {
  return (
    <div className="bar" aria-hidden>
      <span
        className={part >= NEARLY_FULL ? 'full' : undefined}
        style={{ width: `${Math.min(part, 1) * 100}%` }}
      />
    </div>
  )
}

type EditProps = { id: number; quota: Quota; tree: TreeOf; close: () => void }

function EditQuotas({ id, quota: limits, tree, close }: EditProps) {
  const texts = useTexts()
  const { organizations: t, account, connect } = texts
  const of = ofQuota(id)
  const saved = draftOf(limits)
  const [draft, change] = useDraftOf<QuotaDraft>(drafts, of, saved)
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const body = bodyOf(draft)
  const show = (now: Quota) => queryClient.setQueryData(quota(id).queryKey, now)
  const save = async () => {
    if (!body) return
    setFault('')
    setBusy(true)
    try {
      show(
        await saveOnSeen({
          read: () => readQuotas(id),
          isKnown: (now) => drafts.isBase(of, draftOf(now)),
          write: (etag) => updateQuota(id, body, etag),
          show
        })
      )
      drafts.drop()
      void queryClient.invalidateQueries(usage(id))
      close()
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) {
        setFault(told(error as Error, 'organization/update', tree.may, texts))
      }
    }
    setBusy(false)
  }
  return (
    <form
      className="account-form"
      aria-label={t.setQuotas}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Text className="muted">{t.quotasHelp}</Text>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {settable.map((name) => (
          <TextInput
            key={name}
            label={t.typed[name]}
            inputMode="decimal"
            placeholder={defaultText(name, limits, t.forEver)}
            value={draft[name]}
            error={readQuota(name, draft[name]) === undefined ? t.wrongNumber : undefined}
            onChange={(event) => change({ ...draft, [name]: event.currentTarget.value })}
          />
        ))}
      </SimpleGrid>
      <Meanwhile {...{ drafts, of, saved }} nameOf={(name) => t.typed[name as Settable]} />
      {fault && <Fault text={fault} />}
      <Group gap="xs">
        <Button type="submit" loading={isBusy} disabled={!body || drafts.baseOf(of) === undefined}>
          {account.save}
        </Button>
        <Button
          variant="default"
          onClick={() => {
            drafts.drop()
            close()
          }}
        >
          {connect.cancel}
        </Button>
      </Group>
    </form>
  )
}

/** What holds while nothing is typed. */
const defaultText = (name: Settable, { defaults }: Quota, forEver: string): string =>
  typedOf(name, defaults[name]) || forEver
