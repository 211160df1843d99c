import { Badge, Group, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { blacklist, drafts } from '../blacklist/api.ts'
import type { Entry } from '../blacklist/draft.ts'
import { Editor } from '../blacklist/Editor.tsx'
import { MAX_OF_PLATFORM, MAX_PER_TENANT, placesUsed } from '../blacklist/places.ts'
import { Leaving } from '../frame/Leaving.tsx'
import { Entries } from '../platform/EntryPage.tsx'
import { organizationNames, useOrganizations } from '../platform/organizations.ts'
import type { EntrySearch } from '../platform/search.ts'
import { installations } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'

/** Topics whose messages are refused, or not stored. */
export function BlacklistPage() {
  const { blacklist: t } = useTexts()
  const search = useSearch({ from: '/frame/blacklist' })
  const navigate = useNavigate({ from: '/blacklist' })
  const set = (search: EntrySearch) => void navigate({ search, resetScroll: false })
  const query = useQuery(blacklist)
  const places = useQuery(installations).data ?? []
  const nameOf = ({ topic }: Entry) => {
    const first = topic.split('/')[0] ?? ''
    if (/^[+#]$/.test(first)) return t.everywhere
    return places.find(({ client_id }) => String(client_id) === first)?.name ?? t.unknown(first)
  }
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{t.title}</Title>
        <Text className="muted" maw={680}>
          {t.help}
        </Text>
      </div>
      {query.data && query.data.length > 0 && <Used list={query.data} />}
      <Entries
        texts={t}
        {...{ query, search, set }}
        mayAdd
        wordsOf={(entry) => [entry.topic, entry.reason, nameOf(entry)]}
        line={(entry) => <Line entry={entry} place={nameOf(entry)} />}
        editor={(entry, close) => <Editor entry={entry} close={close} />}
      />
      <Leaving hasDraft={drafts.has} dropDraft={drafts.drop} keys={['id', 'add']} />
    </Stack>
  )
}

/** How many places of the list are taken. */
function Used({ list }: { list: readonly Entry[] }) {
  const { blacklist: t } = useTexts()
  const { nameOf } = useOrganizations()
  const places = useQuery(installations).data
  const organizations = useQuery(organizationNames).data ?? []
  if (!places) return null
  const used = placesUsed(
    list.map(({ topic }) => topic),
    places,
    organizations
  )
  return (
    <ul className="places">
      {[...used]
        .sort(([a], [b]) => a - b)
        .map(([id, n]) => (
          <li key={id}>
            {id === 0
              ? t.usedByPlatform(n, MAX_OF_PLATFORM)
              : t.used(nameOf(id), n, MAX_PER_TENANT)}
          </li>
        ))}
    </ul>
  )
}

function Line({ entry, place }: { entry: Entry; place: string }) {
  const { blacklist: t } = useTexts()
  const number = new Intl.NumberFormat(useLocale())
  return (
    <>
      <Link from="/blacklist" search={{ id: entry.id }} className="open" preload={false}>
        {entry.topic}
      </Link>
      <Group gap="xs">
        {!entry.enabled && (
          <Badge variant="light" color="gray">
            {t.off}
          </Badge>
        )}
        <span>{entry.mode === 'ignore' ? t.ignore : t.block}</span>
      </Group>
      <span className="muted">
        {[place, t.count(number.format(entry.count)), entry.reason].filter(Boolean).join(' · ')}
      </span>
    </>
  )
}
