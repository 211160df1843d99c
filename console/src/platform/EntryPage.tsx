import './platform.css'
import { Button, Group, Skeleton, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { useTexts } from '../texts/texts.ts'
import type { EntrySearch } from './search.ts'

const PER_PAGE = 100
/** So few are seen without a filter. */
const FEW = 10

type EntryTexts = { create: string; empty: string; emptyHelp: string; notThere: string }

type Props<T> = {
  texts: EntryTexts
  query: UseQueryResult<T[]>
  search: EntrySearch
  set: (search: EntrySearch) => void
  mayAdd: boolean
  /** What the filter looks in. The first part is the title of the panel. */
  wordsOf: (entry: T) => string[]
  line: (entry: T) => ReactNode
  editor: (entry: T | undefined, close: () => void) => ReactNode
}

/** A list by name, and one entry of it beside. */
export function Entries<T extends { id: number }>({
  texts,
  query,
  search,
  set,
  mayAdd,
  wordsOf,
  line,
  editor
}: Props<T>) {
  const { roles: t } = useTexts()
  const [text, setText] = useState('')
  const [most, setMost] = useState(PER_PAGE)
  const list = query.data
  const wanted = text.trim().toLowerCase()
  const found = (list ?? []).filter((one) => wordsOf(one).join(' ').toLowerCase().includes(wanted))
  const entry = list?.find(({ id }) => id === search.id)
  const close = () => set({})
  const add = (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => set({ add: true })}>
      {texts.create}
    </Button>
  )
  return (
    <Stack gap="sm">
      {query.isError ? (
        <Problem error={query.error} again={() => void query.refetch()} />
      ) : !list ? (
        <Skeleton h={160} radius={12} />
      ) : list.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs" align="flex-start">
          <Text fw={600}>{texts.empty}</Text>
          <Text className="muted">{texts.emptyHelp}</Text>
          {mayAdd && add}
        </Stack>
      ) : (
        <>
          <Group justify="space-between">
            {list.length > FEW ? (
              <TextInput
                type="search"
                aria-label={t.filterAny}
                placeholder={t.filterAny}
                value={text}
                maw={360}
                onChange={(event) => setText(event.currentTarget.value)}
              />
            ) : (
              <span />
            )}
            {mayAdd && add}
          </Group>
          {found.length === 0 && <Text className="muted">{t.nothingMatches}</Text>}
          <ul className="entries">
            {found.slice(0, most).map((one) => (
              <li key={one.id} className="panel entry">
                {line(one)}
              </li>
            ))}
          </ul>
          {found.length > most && (
            <Group>
              <Button variant="default" onClick={() => setMost(most + PER_PAGE)}>
                {t.more}
              </Button>
            </Group>
          )}
        </>
      )}
      <SidePanel
        isOpen={search.add === true || search.id !== undefined}
        close={close}
        size={620}
        title={search.add ? texts.create : ((entry && wordsOf(entry)[0]) ?? '')}
      >
        {!list ? (
          <Skeleton h={300} />
        ) : !search.add && !entry ? (
          <Text role="alert">{texts.notThere}</Text>
        ) : (
          <div key={entry?.id ?? 'new'}>{editor(entry, close)}</div>
        )}
      </SidePanel>
    </Stack>
  )
}
