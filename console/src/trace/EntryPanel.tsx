import { Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Paste } from '../connect/Paste.tsx'
import { dateFormat } from '../formats.ts'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { zoneOr } from '../plot/zone.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { useZone } from '../time.ts'
import { type Entry, traceEntry } from './api.ts'
import { useActors, useObjectNames } from './names.ts'
import { actorOf, sentenceOf } from './words.ts'

type Props = { id: number; entryId: number | undefined; close: () => void }

/** One entry in words, and as it is recorded. */
export function EntryPanel({ id, entryId, close }: Props) {
  const { trace: t } = useTexts()
  return (
    <SidePanel isOpen={entryId !== undefined} close={close} size={520} title={t.details}>
      {entryId !== undefined && <Loaded id={id} entryId={entryId} />}
    </SidePanel>
  )
}

function Loaded({ id, entryId }: { id: number; entryId: number }) {
  const { trace: t } = useTexts()
  const { data, error, refetch } = useQuery(traceEntry(id, entryId))
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (data === undefined) return <Skeleton h={240} />
  if (data === null) return <Text role="alert">{t.notThere}</Text>
  return <Details id={id} entry={data} />
}

function Details({ id, entry }: { id: number; entry: Entry }) {
  const { trace: t } = useTexts()
  const locale = useLocale()
  const timeZone = zoneOr(useZone(id))
  const actors = useActors()
  const name = useObjectNames(id)(entry)
  const moment = dateFormat(locale, { dateStyle: 'full', timeStyle: 'long', timeZone })
  const facts: [name: string, text: string][] = [
    [t.columns.time, moment.format(entry.timestamp * 1000)],
    [t.columns.who, actorOf(entry, { ...actors, t })],
    ...(entry.address ? [[t.address, entry.address] as [string, string]] : []),
    [t.recorded, entry.description]
  ]
  return (
    <Stack gap="md">
      <div>
        <Text fw={600} style={{ overflowWrap: 'anywhere' }}>
          {sentenceOf(entry, name, t)}
        </Text>
        {name !== undefined && <Open id={id} entry={entry} />}
      </div>
      <dl className="trace-facts">
        {facts.map(([fact, text]) => (
          <div key={fact}>
            <dt>{fact}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <div>
        <Text fw={600} mb={4}>
          {t.raw}
        </Text>
        <Paste label={t.raw} text={JSON.stringify(entry, null, 2)} isWrapped />
      </div>
    </Stack>
  )
}

/** Leads to the object, where it has a page. */
function Open({ id, entry: { object_type, object_id } }: { id: number; entry: Entry }) {
  const { trace: t } = useTexts()
  const params = { id }
  if (object_type === 'rule' || object_type === 'mapping') {
    return (
      <Link
        className="link"
        to={`/installations/$id/${object_type === 'rule' ? 'rules' : 'mappings'}`}
        params={params}
        search={{ id: object_id }}
      >
        {t.open}
      </Link>
    )
  }
  return (
    <Link
      className="link"
      to="/installations/$id/functions"
      params={params}
      search={{ id: object_id, view: object_type === 'device' ? 'devices' : undefined }}
    >
      {t.open}
    </Link>
  )
}
