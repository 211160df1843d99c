import { Badge, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { drafts, executors } from '../executor/api.ts'
import type { Executor } from '../executor/draft.ts'
import { Editor } from '../executor/Editor.tsx'
import { Leaving } from '../frame/Leaving.tsx'
import { Entries } from '../platform/EntryPage.tsx'
import { useOrganizations } from '../platform/organizations.ts'
import type { EntrySearch } from '../platform/search.ts'
import { useTexts } from '../texts/texts.ts'

/** The services that bring notifications to people. */
export function ExecutorsPage() {
  const { executors: t } = useTexts()
  const search = useSearch({ from: '/frame/executors' })
  const navigate = useNavigate({ from: '/executors' })
  const set = (search: EntrySearch) => void navigate({ search, resetScroll: false })
  const { nameOf } = useOrganizations()
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{t.title}</Title>
        <Text className="muted" maw={680}>
          {t.help}
        </Text>
      </div>
      <Entries
        texts={t}
        query={useQuery(executors)}
        {...{ search, set }}
        mayAdd
        wordsOf={(one) => [
          one.name,
          one.type,
          one.config['url'] ?? '',
          nameOf(one.organization_id)
        ]}
        line={(one) => <Line executor={one} place={nameOf(one.organization_id)} />}
        editor={(executor, close) => <Editor executor={executor} close={close} />}
      />
      <Leaving hasDraft={drafts.has} dropDraft={drafts.drop} keys={['id', 'add']} />
    </Stack>
  )
}

function Line({ executor, place }: { executor: Executor; place: string }) {
  const { executors: t } = useTexts()
  return (
    <>
      <Link from="/executors" search={{ id: executor.id }} className="open" preload={false}>
        {executor.name}
      </Link>
      <Badge variant="light" color="gray" tt="none">
        {executor.type}
      </Badge>
      <span className="muted">
        {[t.of(place), executor.config['url'], executor.secret ? t.hasSecret : t.noSecret]
          .filter(Boolean)
          .join(' · ')}
      </span>
    </>
  )
}
