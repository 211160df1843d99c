import {
  Chip,
  Group,
  SegmentedControl,
  SimpleGrid,
  Skeleton,
  Stack,
  Table,
  Text,
  TextInput,
  Title
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import type { Schemas } from '../../../tools/client/client.ts'
import { AlarmCount } from '../alarm/AlarmCount.tsx'
import { worstOf } from '../alarm/api.ts'
import { type Count, useAlarmsByInstallation } from '../alarm/glance.ts'
import { severityColors } from '../alarm/Severity.tsx'
import { ageText, useNow } from '../clock.ts'
import { Problem } from '../frame/Problem.tsx'
import { useGatewayText } from '../live/GatewayState.tsx'
import { freshness, installations, permissions } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { NewInstallation } from './NewInstallation.tsx'

export type InstallationsSearch = {
  show?: 'all' | 'attention' | 'assigned'
  view?: 'cards' | 'table'
  name?: string
}
type Row = Schemas['InstallationInfo'] & { fresh?: Schemas['Freshness']; alarms?: Count }

/** Nobody announces a new installation to those who see only the list. */
const LIST_MS = 30_000

const isSilent = ({ fresh }: Row): boolean => !fresh || fresh.topics === 0 || fresh.silent > 0
const isGone = ({ fresh }: Row): boolean => fresh?.gateway?.connected === false
const needsAttention = (row: Row): boolean => isSilent(row) || isGone(row) || !!row.alarms

/** Which of them needs me? */
export function InstallationsPage() {
  const { installations: t } = useTexts()
  const navigate = useNavigate({ from: '/installations' })
  const { show = 'all', view = 'cards', name = '' } = useSearch({ from: '/frame/installations' })
  const set = (search: InstallationsSearch) =>
    void navigate({ search: (before) => ({ ...before, ...search }), replace: true })
  const list = useQuery({ ...installations, refetchInterval: LIST_MS })
  const fresh = useQuery(freshness)
  const mayMake = useQuery(permissions).data?.['installation/create']
  const alarms = useAlarmsByInstallation()
  if (list.isLoadingError) return <Problem error={list.error} again={() => void list.refetch()} />
  const byId = new Map(fresh.data?.map((one) => [one.installation_id, one]))
  const all: Row[] = (list.data ?? []).map((one) => ({
    ...one,
    fresh: byId.get(one.id),
    alarms: alarms.get(one.id)
  }))
  const isKnown = fresh.data !== undefined
  const troubled = isKnown ? all.filter(needsAttention) : []
  const [gone, silent] = [troubled.filter(isGone).length, troubled.filter(isSilent).length]
  const alarming = all.flatMap(({ alarms }) => (alarms?.worst ? [{ severity: alarms.worst }] : []))
  const worst = worstOf(alarming)
  const connected = all.filter(({ fresh }) => fresh?.gateway?.connected).length
  const rows = all
    .filter((row) => show !== 'attention' || (isKnown && needsAttention(row)))
    .filter((row) => show !== 'assigned' || row.assigned)
    .filter((row) => row.name.toLowerCase().includes(name.toLowerCase()))
    .sort((a, b) => a.name.localeCompare(b.name))
  return (
    <Stack>
      <Group justify="space-between" align="start">
        <div>
          <Title order={1}>{t.title}</Title>
          <Group gap="2px 16px" className="muted" mih={22}>
            {list.data && <Text>{t.count(all.length)}</Text>}
            {connected > 0 && <Text>{t.connected(connected)}</Text>}
            {worst && <Text c={severityColors[worst]}>{t.alarming(alarming.length)}</Text>}
            {gone > 0 && <Text c="var(--bad)">{t.gone(gone)}</Text>}
            {silent > 0 && <Text c="var(--warning)">{t.silent(silent)}</Text>}
          </Group>
        </div>
        <NewInstallation />
      </Group>
      <Group justify="space-between">
        <Chip.Group
          value={show}
          onChange={(value) => set({ show: value === 'all' ? undefined : (value as 'attention') })}
        >
          <Group gap="xs">
            <Chip value="all" variant="outline">
              {t.all}
            </Chip>
            <Chip value="attention" variant="outline">
              {t.attention} {isKnown && troubled.length}
            </Chip>
            <Chip value="assigned" variant="outline">
              {t.assigned}
            </Chip>
          </Group>
        </Chip.Group>
        <Group className="grows" justify="flex-end">
          <TextInput
            type="search"
            className="grows"
            aria-label={t.filter}
            placeholder={t.filter}
            value={name}
            onChange={(event) => set({ name: event.currentTarget.value || undefined })}
          />
          <SegmentedControl
            aria-label={t.view}
            value={view}
            onChange={(value) => set({ view: value === 'cards' ? undefined : 'table' })}
            data={[
              { value: 'cards', label: t.cards },
              { value: 'table', label: t.table }
            ]}
          />
        </Group>
      </Group>
      {list.isPending && (
        <Cards>
          {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
            <Skeleton key={key} h={112} radius={12} />
          ))}
        </Cards>
      )}
      {list.data && all.length === 0 && (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">{mayMake ? t.makeHelp : t.emptyHelp}</Text>
        </Stack>
      )}
      {all.length > 0 && rows.length === 0 && <Text className="muted">{t.noneMatch}</Text>}
      {view === 'cards' ? (
        <Cards>
          {rows.map((row) => (
            <Card key={row.id} row={row} isKnown={isKnown} />
          ))}
        </Cards>
      ) : (
        rows.length > 0 && <Rows rows={rows} />
      )}
    </Stack>
  )
}

function Cards({ children }: { children: React.ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
      {children}
    </SimpleGrid>
  )
}

const colorOf = (row: Row): string => {
  const { fresh } = row
  if (isGone(row)) return 'var(--bad)'
  if (!fresh || fresh.topics === 0 || fresh.silent === fresh.topics) return 'var(--muted)'
  return fresh.silent > 0 ? 'var(--warning)' : 'var(--good)'
}

function useStateText() {
  const texts = useTexts()
  const t = texts.installations
  const now = useNow()
  const gatewayText = useGatewayText()
  const topicsText = (fresh: Row['fresh']): string => {
    if (!fresh || fresh.topics === 0) return t.noValues
    if (fresh.silent === 0) return t.allFresh(fresh.topics)
    const some = t.someSilent(fresh.silent, fresh.topics)
    const age = ageText(now / 1000 - (fresh.last ?? 0), texts)
    return fresh.silent === fresh.topics ? `${some}, ${t.last(age)}` : some
  }
  return ({ fresh }: Row): { gateway: string | undefined; topics: string } => ({
    gateway: fresh?.gateway?.connected === false ? gatewayText(fresh.gateway) : undefined,
    topics: topicsText(fresh)
  })
}

export function useRateText() {
  const format = new Intl.NumberFormat(useLanguage(), { maximumFractionDigits: 1 })
  return (rate: number): string => format.format(rate >= 10 ? Math.round(rate) : rate)
}

function Card({ row, isKnown }: { row: Row; isKnown: boolean }) {
  const { installations: t } = useTexts()
  const { gateway, topics } = useStateText()(row)
  const rateText = useRateText()
  return (
    <Link to="/installations/$id" params={{ id: row.id }} className="panel card">
      <Group gap="xs" wrap="nowrap">
        <span className="dot" style={{ background: isKnown ? colorOf(row) : 'var(--line)' }} />
        <Text fw={650} truncate>
          {row.name}
        </Text>
        {row.alarms && <AlarmCount {...row.alarms} />}
      </Group>
      <Text className="muted">{isKnown ? (gateway ?? topics) : ' '}</Text>
      <Group gap="xs" align="baseline">
        <span className="rate">{isKnown ? rateText(row.fresh?.per_minute ?? 0) : '–'}</span>
        <span className="muted">{t.perMinute}</span>
      </Group>
    </Link>
  )
}

function Rows({ rows }: { rows: readonly Row[] }) {
  const texts = useTexts()
  const t = texts.installations
  const now = useNow()
  const stateText = useStateText()
  const rateText = useRateText()
  return (
    <Table.ScrollContainer minWidth={480} className="panel">
      <Table verticalSpacing="sm">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.name}</Table.Th>
            <Table.Th>{t.topics}</Table.Th>
            <Table.Th ta="right">{t.perMinute}</Table.Th>
            <Table.Th ta="right">{t.lastValue}</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row) => (
            <Table.Tr key={row.id}>
              <Table.Td>
                <Group gap="xs" wrap="nowrap">
                  <span className="dot" style={{ background: colorOf(row) }} />
                  <Link to="/installations/$id" params={{ id: row.id }} className="name">
                    {row.name}
                  </Link>
                  {row.alarms && <AlarmCount {...row.alarms} />}
                </Group>
              </Table.Td>
              <Table.Td className="muted">
                {Object.values(stateText(row)).filter(Boolean).join(' · ')}
              </Table.Td>
              <Table.Td ta="right">{rateText(row.fresh?.per_minute ?? 0)}</Table.Td>
              <Table.Td ta="right" className="muted">
                {row.fresh?.last === undefined ? '' : ageText(now / 1000 - row.fresh.last, texts)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}
