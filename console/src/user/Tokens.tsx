import { Button, Group, Skeleton, Stack, Table, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { NewKey } from '../account/NewKey.tsx'
import { programOf } from '../account/program.ts'
import { ageText, useNow } from '../clock.ts'
import { Paste } from '../connect/Paste.tsx'
import { Fault } from '../modelx/Details.tsx'
import { OTHERS_MS } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { createKeyOf, deleteTokensOf, tokensOf } from './api.ts'
import { type People, told } from './people.ts'
import type { Token, User } from './types.ts'

/** The sessions and keys of a user. */
export function Tokens({ user, people: { may } }: { user: User; people: People }) {
  const texts = useTexts()
  const { users: t } = texts
  const mayList = may['user/security/token/list/all'] === true
  const mayChange = may['user/security/token/create_delete'] === true
  const { data, error } = useQuery({
    ...tokensOf(user.id),
    enabled: mayList,
    refetchInterval: OTHERS_MS
  })
  const end = useMutation({ mutationFn: (ids: readonly number[]) => deleteTokensOf(user.id, ids) })
  const sessions = data?.filter(({ type }) => type === 'session') ?? []
  const keys = data?.filter(({ type }) => type === 'key') ?? []
  if (!mayList) return <Text className="muted">{t.mayNotSee('user/security/token/list')}</Text>
  if (error) return <Text>{told(error, 'user/security/token/list', may, texts)}</Text>
  if (!data) return <Skeleton h={60} />
  const remove = mayChange ? (id: number) => end.mutate([id]) : undefined
  return (
    <Stack gap="sm">
      {sessions.length === 0 && <Text className="muted">{t.noSessions}</Text>}
      {sessions.length > 0 && (
        <Table.ScrollContainer minWidth={420}>
          <Sessions sessions={sessions} remove={remove} />
        </Table.ScrollContainer>
      )}
      {mayChange && sessions.length > 1 && (
        <Group>
          <Button
            variant="default"
            loading={end.isPending}
            onClick={() => end.mutate(sessions.map(({ id }) => id))}
          >
            {t.endAll(sessions.length)}
          </Button>
        </Group>
      )}
      {keys.length === 0 && <Text className="muted">{t.noKeys}</Text>}
      {keys.length > 0 && (
        <Table.ScrollContainer minWidth={420}>
          <Keys keys={keys} remove={remove} />
        </Table.ScrollContainer>
      )}
      {end.error && (
        <Fault text={told(end.error, 'user/security/token/create_delete', may, texts)} />
      )}
      {mayChange ? (
        <MakeKey user={user} />
      ) : (
        <Text className="muted">{t.mayNotEdit('user/security/token/create_delete')}</Text>
      )}
    </Stack>
  )
}

/** A key that acts as the user. It is shown once. */
function MakeKey({ user }: { user: User }) {
  const { users: t, account, connect } = useTexts()
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<Token>()
  if (isNew) {
    return (
      <NewKey
        close={() => setNew(false)}
        create={(body) => createKeyOf(user.id, body)}
        allRights={t.allRights}
        made={(key) => {
          setMade(key)
          setNew(false)
        }}
      />
    )
  }
  return (
    <>
      {made?.token && (
        <Stack gap="xs" role="status">
          <div className="note">
            <Text fw={650}>{connect.onceTitle}</Text>
            <Text>{connect.once}</Text>
          </div>
          <Paste label={account.keyOf(made.name)} text={made.token} isWrapped />
        </Stack>
      )}
      <Group>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => {
            setMade(undefined)
            setNew(true)
          }}
        >
          {account.newKey}
        </Button>
      </Group>
    </>
  )
}

type Remove = ((id: number) => void) | undefined

function Sessions({ sessions, remove }: { sessions: readonly Token[]; remove: Remove }) {
  const texts = useTexts()
  const { account: t, users } = texts
  const now = useNow() / 1000
  return (
    <Table verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{users.session}</Table.Th>
          <Table.Th>{t.from}</Table.Th>
          <Table.Th>{t.lastUse}</Table.Th>
          <Table.Th />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {sessions.map((one) => {
          const program = programOf(one.agent) || t.unknownProgram
          return (
            <Table.Tr key={one.id}>
              <Table.Td className="anywhere">{program}</Table.Td>
              <Table.Td>{one.accessed[0]?.ip}</Table.Td>
              <Table.Td>{ageText(now - one.last_used, texts)}</Table.Td>
              <Table.Td ta="right">
                {one.current ? (
                  t.thisOne
                ) : (
                  <Action name={t.end} of={program} go={remove && (() => remove(one.id))} />
                )}
              </Table.Td>
            </Table.Tr>
          )
        })}
      </Table.Tbody>
    </Table>
  )
}

function Keys({ keys, remove }: { keys: readonly Token[]; remove: Remove }) {
  const texts = useTexts()
  const { account: t, connect, users } = texts
  const now = useNow() / 1000
  const date = new Intl.DateTimeFormat(useLanguage(), { dateStyle: 'medium' })
  return (
    <Table verticalSpacing="xs">
      <Table.Thead>
        <Table.Tr>
          <Table.Th>{users.key}</Table.Th>
          <Table.Th>{t.mayDo}</Table.Th>
          <Table.Th>{t.lastUse}</Table.Th>
          <Table.Th>{connect.expires}</Table.Th>
          <Table.Th />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {keys.map((key) => (
          <Table.Tr key={key.id}>
            <Table.Td className="anywhere">{key.name}</Table.Td>
            <Table.Td title={key.permissions?.join('\n')}>
              {key.mount
                ? connect.below(key.mount.prefix)
                : key.permissions
                  ? t.someRights(key.permissions.length)
                  : users.allRights}
            </Table.Td>
            <Table.Td>
              {key.accessed.length === 0 ? connect.never : ageText(now - key.last_used, texts)}
            </Table.Td>
            <Table.Td>
              {key.expire === 0 ? connect.span(0) : date.format(key.expire * 1000)}
            </Table.Td>
            <Table.Td ta="right">
              <Action
                name={connect.delete}
                of={key.name}
                question={connect.deleteQuestion}
                go={remove && (() => remove(key.id))}
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

type ActionProps = { name: string; of: string; question?: string; go: (() => void) | undefined }

/** With a question it needs a second click. */
function Action({ name, of, question, go }: ActionProps) {
  const { connect: t } = useTexts()
  const [isAsking, setAsking] = useState(false)
  if (!go) return null
  if (!isAsking) {
    return (
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={`${name}: ${of}`}
        onClick={question ? () => setAsking(true) : go}
      >
        {name}
      </Button>
    )
  }
  return (
    <Group gap="xs" justify="flex-end" wrap="nowrap">
      <Text size="sm">{question}</Text>
      <Button size="compact-sm" color="red" onClick={go}>
        {t.deleteYes}
      </Button>
      <Button size="compact-sm" variant="default" onClick={() => setAsking(false)}>
        {t.cancel}
      </Button>
    </Group>
  )
}
