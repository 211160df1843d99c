import { Button, Group, Modal, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { ChangedMeanwhile, saveOnSeen } from '../edit/save.ts'
import { Problem } from '../frame/Problem.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { isShorter, readDays } from './amounts.ts'
import { type Quota, quota, reachesTop, readQuota, updateQuota } from './api.ts'
import { daysDrafts as drafts, retentionOf } from './settings.ts'

type Props = { id: number; mayEdit: boolean }

/** How many days values stay. */
export function RetentionForm({ id, mayEdit }: Props) {
  const { site: t } = useTexts()
  const locale = useLocale()
  const { data, error, refetch } = useQuery(quota(id))
  const top = useQuery({ ...reachesTop, enabled: mayEdit }).data
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={24} />
  const { effective, overrides } = data
  const days = effective.history_days
  return (
    <Stack gap="sm">
      <Text>
        {days === null ? t.keptForEver : t.keptDays(days.toLocaleString(locale))}{' '}
        {days !== null && (overrides.history_days === days ? t.keptBy.here : t.keptBy.above)}
      </Text>
      {mayEdit && top ? (
        <DaysForm id={id} now={data} />
      ) : (
        mayEdit && top === false && <Text className="muted">{t.daysAsk}</Text>
      )}
    </Stack>
  )
}

function DaysForm({ id, now }: { id: number; now: Quota }) {
  const { site: t } = useTexts()
  const locale = useLocale()
  const of = String(id)
  const saved = retentionOf(now)
  const [draft, change] = useDraftOf(drafts, of, saved)
  const [isAsking, setAsking] = useState(false)
  const days = readDays(draft.days)
  const { fault, state, save } = useSaving(id, days ?? null)
  return (
    <form
      className="site-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (days === undefined) return
        if (isShorter(days, now.effective.history_days)) setAsking(true)
        else void save()
      }}
    >
      <TextInput
        label={t.days}
        description={t.daysHelp}
        inputMode="numeric"
        autoComplete="off"
        value={draft.days}
        error={days === undefined && t.daysWrong}
        onChange={(event) => change({ days: event.currentTarget.value })}
      />
      <Meanwhile {...{ drafts, of, saved }} nameOf={() => t.days} />
      {fault && <Fault text={fault} />}
      <Group gap="xs">
        <Button
          type="submit"
          loading={state === 'busy'}
          disabled={!drafts.has() || days === undefined}
        >
          {t.save}
        </Button>
        {drafts.has() && (
          <Button variant="default" onClick={drafts.drop}>
            {t.discard}
          </Button>
        )}
        <Text role="status" className="muted">
          {state === 'saved' && !drafts.has() && t.saved}
        </Text>
      </Group>
      <Modal opened={isAsking} onClose={() => setAsking(false)} title={t.shorterTitle} centered>
        <Stack>
          <Text>{t.shorter((days ?? 0).toLocaleString(locale))}</Text>
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              {t.keep}
            </Button>
            <Button
              color="red"
              onClick={() => {
                setAsking(false)
                void save()
              }}
            >
              {t.shorterGo}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </form>
  )
}

function useSaving(id: number, days: number | null) {
  const texts = useTexts()
  const [fault, setFault] = useState('')
  const [state, setState] = useState<'busy' | 'saved'>()
  const show = (now: Quota) => queryClient.setQueryData(quota(id).queryKey, now)
  const save = async () => {
    setFault('')
    setState('busy')
    try {
      const stored = await saveOnSeen({
        read: () => readQuota(id),
        isKnown: (now) => drafts.isBase(String(id), retentionOf(now)),
        // The other quotas of the installation stay as they are.
        write: (etag, { overrides }) =>
          updateQuota(id, { body: { ...overrides, history_days: days }, etag }),
        show
      })
      show(stored)
      drafts.drop()
      setState('saved')
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) {
        setFault(refusal(error as Error, 'installation/update', texts))
      }
      setState(undefined)
    }
  }
  return { fault, state, save }
}
