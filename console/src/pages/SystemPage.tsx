import '../system/system.css'
import { Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { ageText, useNow } from '../clock.ts'
import { Part } from '../frame/Part.tsx'
import { Problem } from '../frame/Problem.tsx'
import { permissions } from '../queries.ts'
import { backup, type Health, type Hours, health, type SystemState, state } from '../system/api.ts'
import { Backups } from '../system/Backups.tsx'
import { Clients } from '../system/Clients.tsx'
import { Engines } from '../system/Engines.tsx'
import { Figures } from '../system/Figures.tsx'
import { Refused } from '../system/Refused.tsx'
import { Trends } from '../system/Trends.tsx'
import { useTexts } from '../texts/texts.ts'

export type SystemSearch = {
  /** What the list of clients is searched for. */
  client?: string
  /** How far back the rates are shown. */
  hours?: Hours
}

const CLIENTS = 'system/client/list'
const LEDGER = 'ledger/read'

/** How the platform does, for those who run it. */
export function SystemPage() {
  const texts = useTexts()
  const { system: t } = texts
  const { client = '', hours = 24 } = useSearch({ from: '/frame/system' })
  const navigate = useNavigate({ from: '/system' })
  const now = useQuery(state)
  const engines = useQuery(health).data
  const backups = useQuery(backup)
  const may = useQuery(permissions).data
  const set = (change: SystemSearch) =>
    void navigate({
      search: (before) => ({ ...before, ...change }),
      replace: true,
      resetScroll: false
    })
  return (
    <Stack gap="md">
      <Head health={engines} state={now.data} />
      {now.error && !now.data && <Problem error={now.error} again={() => void now.refetch()} />}
      <div className="system">
        {now.data && now.data.problems.length > 0 && (
          <Part title={t.problems}>
            <ul className="system-problems">
              {now.data.problems.map((problem) => (
                <li key={problem}>{problem}</li>
              ))}
            </ul>
          </Part>
        )}
        {engines && (
          <Part title={t.engines}>
            <Engines engines={engines.engines} />
          </Part>
        )}
        {now.data ? (
          <Part title={t.now}>
            <Figures state={now.data} />
          </Part>
        ) : (
          !now.error && <Skeleton h={140} radius={12} />
        )}
        {now.data && (
          <Part title={t.trends} help={t.trendsHelp}>
            <Trends hours={hours} set={(hours) => set({ hours })} />
          </Part>
        )}
        {backups.data && (
          <Part title={t.backups} help={t.backupsHelp}>
            <Backups state={backups.data} />
          </Part>
        )}
        {now.data && may && (
          <Part title={t.clients} help={t.clientsHelp}>
            {may[CLIENTS] ? (
              <Clients search={client} set={(client) => set({ client: client || undefined })} />
            ) : (
              <Text className="muted">{texts.error.needs(CLIENTS)}</Text>
            )}
          </Part>
        )}
        {may?.[LEDGER] && (
          <Part title={t.refused} help={t.refusedHelp}>
            <Refused />
          </Part>
        )}
      </div>
    </Stack>
  )
}

type HeadProps = { health: Health | undefined; state: SystemState | undefined }

function Head({ health, state }: HeadProps) {
  const texts = useTexts()
  const { system: t } = texts
  const seconds = useNow() / 1000
  const isWell = health?.status === 'ready'
  return (
    <div>
      <Title order={1}>{t.title}</Title>
      <Group gap="4px 12px">
        {health && (
          <Text role="status" fw={600} c={isWell ? 'var(--good)' : 'var(--bad)'}>
            {t.status[health.status]}
          </Text>
        )}
        {health && <Text className="muted">{t.version(health.version)}</Text>}
        {state && <Text className="muted">{t.runs(ageText(seconds - state.started, texts))}</Text>}
      </Group>
    </div>
  )
}
