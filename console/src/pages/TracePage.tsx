import '../connect/connect.css'
import '../trace/trace.css'
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Problem } from '../frame/Problem.tsx'
import { zoneOr } from '../plot/zone.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { useMoment, useZone } from '../time.ts'
import { type Entry, PAGE, tracePage } from '../trace/api.ts'
import { EntryPanel } from '../trace/EntryPanel.tsx'
import { Filters } from '../trace/Filters.tsx'
import { useActors, useObjectNames } from '../trace/names.ts'
import { hasFilter, isBackwards, type TraceSearch } from '../trace/search.ts'
import { actorOf, sentenceOf } from '../trace/words.ts'

/** Who changed what on the installation, and when. */
export function TracePage() {
  const { trace: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/trace' })
  const search = useSearch({ from: '/frame/installations/$id/trace' })
  const navigate = useNavigate({ from: '/installations/$id/trace' })
  const set = (search: TraceSearch) => void navigate({ search, resetScroll: false })
  const zone = useZone(id)
  const { data, error, refetch } = useQuery({
    ...tracePage(id, search, zoneOr(zone)),
    enabled: zone !== undefined && !isBackwards(search)
  })
  return (
    <Stack gap="md">
      <Text className="muted" maw={620}>
        {t.help}
      </Text>
      <Filters {...{ search, set }} />
      {error ? (
        <Problem error={error} again={() => void refetch()} />
      ) : !data ? (
        !isBackwards(search) && <Skeleton h={320} radius={12} />
      ) : data.total === 0 ? (
        <Empty {...{ search, set }} />
      ) : (
        <>
          <Entries id={id} entries={data.data} search={search} />
          <Pages {...{ search, set }} count={data.count} total={data.total} />
        </>
      )}
      <EntryPanel id={id} entryId={search.id} close={() => set({ ...search, id: undefined })} />
    </Stack>
  )
}

type ListProps = { id: number; entries: readonly Entry[]; search: TraceSearch }

function Entries({ id, entries, search }: ListProps) {
  const { trace: t } = useTexts()
  const moment = useMoment(id)
  const actors = useActors()
  const nameOf = useObjectNames(id)
  return (
    <ul className="panel trace-list" aria-label={t.title}>
      {entries.map((entry) => (
        <li key={entry.id} className="trace-entry">
          <Text className="muted" size="sm">
            {moment(entry.timestamp)}
          </Text>
          <Text size="sm">{actorOf(entry, { ...actors, t })}</Text>
          <div className="trace-what">
            <Link
              className="open"
              to="/installations/$id/trace"
              params={{ id }}
              search={{ ...search, id: Number(entry.id) }}
              resetScroll={false}
            >
              {sentenceOf(entry, nameOf(entry), t)}
            </Link>
          </div>
        </li>
      ))}
    </ul>
  )
}

type SearchProps = { search: TraceSearch; set: (search: TraceSearch) => void }

function Empty({ search, set }: SearchProps) {
  const { trace: t } = useTexts()
  return (
    <Stack className="panel" p="lg" gap="xs" align="flex-start">
      <Text fw={600}>{hasFilter(search) ? t.noneMatch : t.empty}</Text>
      {search.time !== 'year' && (
        <>
          <Text className="muted">{t.emptyHelp}</Text>
          <Button
            variant="light"
            onClick={() =>
              set({ ...search, time: 'year', from: undefined, to: undefined, page: undefined })
            }
          >
            {t.longer}
          </Button>
        </>
      )}
    </Stack>
  )
}

/** Newer and older entries. */
function Pages({ search, set, count, total }: SearchProps & { count: number; total: number }) {
  const { trace: t } = useTexts()
  const locale = useLocale()
  const { page = 1 } = search
  const before = (page - 1) * PAGE
  const text = (n: number) => n.toLocaleString(locale)
  const go = (next: number) => {
    set({ ...search, page: next === 1 ? undefined : next })
    scrollTo({ top: 0 })
  }
  return (
    <Group component="nav" aria-label={t.pages} gap="sm">
      {total > PAGE && (
        <Button variant="default" disabled={page === 1} onClick={() => go(page - 1)}>
          {t.newer}
        </Button>
      )}
      <Text className="muted" role="status">
        {t.shown(
          text(Math.min(before + 1, total)),
          text(Math.min(before + count, total)),
          text(total)
        )}
      </Text>
      {total > PAGE && (
        <Button variant="default" disabled={before + count >= total} onClick={() => go(page + 1)}>
          {t.older}
        </Button>
      )}
    </Group>
  )
}
