import '../notification/notification.css'
import { Button, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Leaving } from '../frame/Leaving.tsx'
import { Problem } from '../frame/Problem.tsx'
import { executors, messages, outputs } from '../notification/api.ts'
import { messageDrafts, outputDrafts } from '../notification/drafts.ts'
import { Panel } from '../notification/Panel.tsx'
import type { Message, Output } from '../notification/types.ts'
import { rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'

export type NotificationsSearch = {
  /** What is open. */
  message?: number
  output?: number
  add?: 'message' | 'output'
}

const hasDraft = () => messageDrafts.has() || outputDrafts.has()
const dropDraft = () => {
  messageDrafts.drop()
  outputDrafts.drop()
}

/** What is sent to people, and how. */
export function NotificationsPage() {
  const { notifications: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/notifications' })
  const search = useSearch({ from: '/frame/installations/$id/notifications' })
  const navigate = useNavigate({ from: '/installations/$id/notifications' })
  const set = (search: NotificationsSearch) => void navigate({ search, resetScroll: false })
  const known = useQuery(rights(id)).data
  const may = (name: string) => known?.[`notification/${name}`] === true
  return (
    <Stack gap="lg">
      <Text className="muted" maw={620}>
        {t.help}
      </Text>
      {!known && <Skeleton h={160} radius={12} />}
      {may('message/list') && (
        <Messages
          id={id}
          add={may('message/create_delete') ? () => set({ add: 'message' }) : undefined}
        />
      )}
      {may('output/list') && (
        <Outputs
          id={id}
          add={may('output/create_delete') ? () => set({ add: 'output' }) : undefined}
        />
      )}
      <Panel installation_id={id} search={search} close={() => set({})} may={may} />
      <Leaving {...{ hasDraft, dropDraft }} keys={['message', 'output', 'add']} />
    </Stack>
  )
}

type ListProps = { id: number; add: (() => void) | undefined }

function Messages({ id, add }: ListProps) {
  const { notifications: t } = useTexts()
  const list = useQuery(messages(id))
  return (
    <Part
      title={t.messages}
      help={t.messagesHelp}
      create={t.createMessage}
      empty={t.noMessages}
      {...{ list, add }}
    >
      {list.data?.map((one) => (
        <MessageLine key={one.id} message={one} />
      ))}
    </Part>
  )
}

function MessageLine({ message: { id, name, text } }: { message: Message }) {
  return (
    <li className="panel notification-line">
      <Link
        from="/installations/$id/notifications"
        search={{ message: id }}
        className="open"
        preload={false}
      >
        {name}
      </Link>
      <span className="muted start">{text}</span>
    </li>
  )
}

function Outputs({ id, add }: ListProps) {
  const { notifications: t } = useTexts()
  const list = useQuery(outputs(id))
  const { data: texts = [] } = useQuery(messages(id))
  const { data: all, isSuccess } = useQuery(executors(id))
  const messageNames = new Map(texts.map((one) => [one.id, one.name]))
  const executorNames = new Map(all?.map((one) => [one.id, one.name]))
  const hasNone = isSuccess && all.length === 0
  return (
    <Part
      title={t.outputs}
      help={hasNone ? t.noExecutor : t.outputsHelp}
      create={t.createOutput}
      empty={t.noOutputs}
      list={list}
      add={hasNone ? undefined : add}
    >
      {list.data?.map((one) => (
        <OutputLine
          key={one.id}
          output={one}
          message={messageNames.get(one.notification_message_id)}
          executor={executorNames.get(one.notification_output_executor_id)}
        />
      ))}
    </Part>
  )
}

type OutputLineProps = {
  output: Output
  message: string | undefined
  executor: string | undefined
}

function OutputLine({ output: { id, name }, message, executor }: OutputLineProps) {
  const { notifications: t } = useTexts()
  return (
    <li className="panel notification-line">
      <Link
        from="/installations/$id/notifications"
        search={{ output: id }}
        className="open"
        preload={false}
      >
        {name || t.outputNumber(id)}
      </Link>
      {message !== undefined && executor !== undefined && (
        <span className="muted">{t.sendsWith(message, executor)}</span>
      )}
    </li>
  )
}

type PartProps = {
  title: string
  help: string
  create: string
  empty: string
  list: UseQueryResult<readonly unknown[]>
  add: (() => void) | undefined
  children: ReactNode
}

function Part({ title, help, create, empty, list, add, children }: PartProps) {
  const { notifications: t } = useTexts()
  return (
    <Stack component="section" gap="xs" aria-label={title}>
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h4">
            {title}
          </Title>
          <Text className="muted" maw={620}>
            {help}
          </Text>
        </div>
        {add && (
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            {create}
          </Button>
        )}
      </Group>
      {list.isError ? (
        <Problem error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        <Skeleton h={100} radius={12} />
      ) : list.data.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{empty}</Text>
          {!add && <Text className="muted">{t.emptyAsk}</Text>}
        </Stack>
      ) : (
        <Stack component="ul" className="notifications" gap="xs">
          {children}
        </Stack>
      )}
    </Stack>
  )
}
