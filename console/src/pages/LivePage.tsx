import { Anchor, Chip, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { useEffect, useMemo, useState } from 'react'
import { SILENT_AFTER_S, useNow } from '../clock.ts'
import { Problem } from '../frame/Problem.tsx'
import { Commands } from '../live/commands.ts'
import { subscribe, useConnection } from '../live/connection.ts'
import { controlOf } from '../live/control.ts'
import { LiveTable, ROW_PX } from '../live/LiveTable.tsx'
import { type Row, rowsOf } from '../live/shown.ts'
import { LiveValues, readValue } from '../live/values.ts'
import { functions, installations, ledger, queryClient, rights, status } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'

const POLL_MS = 5000
/** Clocks of the browser and the platform differ. */
const CLOCKS_DIFFER_S = 30

/** Every topic with its value and age, changing as messages arrive. */
export function LivePage() {
  const { live: t, control: controlTexts } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/live' })
  const { show, name = '' } = useSearch({ from: '/frame/installations/$id/live' })
  const navigate = useNavigate({ from: '/installations/$id/live' })
  const set = (search: { show?: 'silent'; name?: string }) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true })
  const [values] = useState(() => new LiveValues())
  const { isPending, isLoadingError, error, refetch } = useLiveValues(id, values)
  const topics = values.useTopics()
  const known = useQuery(functions(id))
  const clientId = useQuery(installations).data?.find((one) => one.id === id)?.client_id
  const all = useMemo(
    () => rowsOf(topics, known.data ?? [], clientId),
    [topics, known.data, clientId]
  )
  const commands = useCommands(id, values)
  const isPolling = useConnection().state === 'polling'
  const now = Math.floor(useNow() / POLL_MS) * POLL_MS
  const silent = useMemo(() => {
    const isSilent = ({ topic }: Row) =>
      now / 1000 - (values.get(topic)?.timestamp ?? Infinity) > SILENT_AFTER_S
    return all.filter(isSilent)
  }, [all, now, values])
  const rows = useMemo(() => {
    const wanted = name.toLowerCase()
    return (show === 'silent' ? silent : all).filter((row) =>
      `${row.name} ${row.short}`.toLowerCase().includes(wanted)
    )
  }, [show, silent, all, name])
  // What was seen stays on the page while the platform is away.
  if (isLoadingError) return <Problem error={error} again={() => void refetch()} />
  if (isPending) return <Skeleton h={ROW_PX * 8} radius={12} />
  if (all.length === 0) {
    return (
      <Stack className="panel" p="lg" gap="xs">
        <Text fw={600}>{t.empty}</Text>
        <Text className="muted">{t.emptyHelp(`${clientId}/obj/temperature`)}</Text>
        {commands && (
          <Anchor component={Link} to={`/installations/${id}/connect`}>
            {t.connect}
          </Anchor>
        )}
      </Stack>
    )
  }
  return (
    <Stack gap="md">
      <Group justify="space-between">
        <Chip.Group
          value={show ?? 'all'}
          onChange={(value) => set({ show: value === 'silent' ? 'silent' : undefined })}
        >
          <Group gap="xs">
            <Chip value="all" name="show" variant="outline">
              {t.all} {all.length}
            </Chip>
            <Chip value="silent" name="show" variant="outline">
              {t.silent} {silent.length}
            </Chip>
          </Group>
        </Chip.Group>
        <TextInput
          type="search"
          className="grows"
          aria-label={t.filter}
          placeholder={t.filter}
          value={name}
          onChange={(event) => set({ name: event.currentTarget.value || undefined })}
        />
      </Group>
      {isPolling &&
        commands &&
        all.some((row) => controlOf(row) && !commands.reaches(row, false)) && (
          <Text className="muted">{controlTexts.needsBroker}</Text>
        )}
      {rows.length === 0 ? (
        <Text className="muted">{t.noneMatch}</Text>
      ) : (
        <LiveTable id={id} rows={rows} values={values} commands={commands} hasBroker={!isPolling} />
      )}
    </Stack>
  )
}

/** Fills the values by HTTP, then by MQTT; by HTTP alone where no broker can be reached. */
function useLiveValues(id: number, values: LiveValues) {
  const { state } = useConnection()
  const { data, ...query } = useQuery({
    ...status(id),
    // After a pause of the connection everything may have changed.
    refetchInterval: state === 'live' ? false : POLL_MS,
    staleTime: 0
  })
  const { refetch } = query
  useEffect(() => {
    if (state === 'live') void refetch({ cancelRefetch: false })
  }, [state, refetch])
  useEffect(() => {
    for (const { topic, ...value } of data ?? []) {
      const isNew = values.get(topic) !== undefined
      values.put(topic, { ...value, arrived: isNew ? Date.now() : 0 })
    }
  }, [data, values])
  const clientId = useQuery(installations).data?.find((one) => one.id === id)?.client_id
  useEffect(() => {
    if (clientId === undefined) return
    return subscribe(`${clientId}/obj/#`, (topic, payload) => {
      const value = readValue(payload, Date.now())
      if (value) values.put(topic, value)
    })
  }, [clientId, values])
  return query
}

/** The commands of the page; none for who may not send any. */
function useCommands(id: number, values: LiveValues): Commands | undefined {
  const may = useQuery(rights(id)).data
  const publish = may?.['mqtt/publish'] ?? false
  const command = may?.['command/send'] ?? false
  const mayLook = may?.['ledger/list']
  const commands = useMemo(() => {
    if (!publish && !command) return undefined
    const whyRefused = async (topic: string, since: number) => {
      if (!mayLook) return undefined
      const refused = await queryClient.fetchQuery(ledger(id))
      const isLater = ({ timestamp }: { timestamp: number }) =>
        timestamp > since / 1000 - CLOCKS_DIFFER_S
      return refused.find((one) => one.topic === topic && isLater(one))?.reason
    }
    return new Commands({ installationId: id, values, whyRefused, may: { publish, command } })
  }, [id, values, publish, command, mayLook])
  useEffect(() => () => commands?.close(), [commands])
  return commands
}
