import '../schedule/schedule.css'
import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { SidePanel } from '../frame/SidePanel.tsx'
import { rights } from '../queries.ts'
import { schedules, useScheduleZone } from '../schedule/api.ts'
import { dropDraft, hasDraft } from '../schedule/draft.ts'
import { Editor } from '../schedule/Editor.tsx'
import type { Schedule } from '../schedule/form.ts'
import { Lines, useLines } from '../schedule/Lines.tsx'
import { useTexts } from '../texts/texts.ts'

export type SchedulesSearch = {
  /** The schedule that is open. */
  id?: number
  add?: true
  /** What the list is filtered by. */
  text?: string
}

/** Values that are sent at certain times. */
export function SchedulesPage() {
  const { schedules: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/schedules' })
  const search = useSearch({ from: '/frame/installations/$id/schedules' })
  const navigate = useNavigate({ from: '/installations/$id/schedules' })
  const may = useQuery(rights(id)).data
  const mayAdd = may?.['schedule/create_delete'] === true
  const mayUpdate = may?.['schedule/update'] === true
  const list = useQuery(schedules(id))
  const opened = list.data?.find((one) => one.id === search.id)
  const zone = useScheduleZone(id, opened ?? list.data?.[0])
  const { text = '' } = search
  const set = (search: SchedulesSearch, replace = false) =>
    void navigate({ search, replace, resetScroll: false })
  const close = () => set({ text: search.text })
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start">
        <Text className="muted" maw={620}>
          {t.help}
        </Text>
        {mayAdd && (
          <Button
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => set({ text: search.text, add: true })}
          >
            {t.create}
          </Button>
        )}
      </Group>
      {list.isError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={160} radius={12} />
      ) : list.data.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">{mayAdd ? t.emptyHelp : t.emptyAsk}</Text>
        </Stack>
      ) : (
        <Lines
          {...{ id, zone, mayUpdate, text }}
          list={list.data}
          setText={(text) => set({ ...search, text: text || undefined }, true)}
        />
      )}
      <Panel {...{ id, search, opened, zone, close, mayAdd, mayUpdate }} isLoaded={!!list.data} />
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={['id', 'add']} />
    </Stack>
  )
}

type PanelProps = {
  id: number
  search: SchedulesSearch
  opened: Schedule | undefined
  zone: string | undefined
  isLoaded: boolean
  mayAdd: boolean
  mayUpdate: boolean
  close: () => void
}

function Panel({ id, search, opened, zone, isLoaded, mayAdd, mayUpdate, close }: PanelProps) {
  const { schedules: t } = useTexts()
  const { add = false } = search
  const linesOf = useLines(id)
  const name = opened ? (linesOf([opened])[0]?.name ?? '') : ''
  return (
    <SidePanel
      isOpen={add || search.id !== undefined}
      close={close}
      size={1080}
      title={add ? t.create : name || t.title}
    >
      {!isLoaded ? (
        <Skeleton h={300} />
      ) : !add && !opened ? (
        <Text role="alert">{t.notThere}</Text>
      ) : (
        <Editor
          key={opened?.id ?? 'new'}
          {...{ id, name, zone, close }}
          schedule={opened}
          may={{ save: opened ? mayUpdate : mayAdd, delete: mayAdd }}
        />
      )}
    </SidePanel>
  )
}
