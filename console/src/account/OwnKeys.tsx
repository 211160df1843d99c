import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ageText, useNow } from '../clock.ts'
import { Paste } from '../connect/Paste.tsx'
import { Fault } from '../modelx/Details.tsx'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { deleteToken, type Token } from './api.ts'
import { NewKey } from './NewKey.tsx'

/** The keys of the account, for programs and devices. */
export function OwnKeys({ keys }: { keys: readonly Token[] }) {
  const { account: t, connect } = useTexts()
  const [isNew, setNew] = useState(false)
  const [made, setMade] = useState<Token>()
  return (
    <Stack gap="sm">
      {keys.length === 0 ? <Text className="muted">{t.noKeys}</Text> : <KeyTable keys={keys} />}
      {made?.token && (
        <Stack gap="xs" role="status">
          <div className="note">
            <Text fw={650}>{connect.onceTitle}</Text>
            <Text>{connect.once}</Text>
          </div>
          <Paste label={t.keyOf(made.name)} text={made.token} isWrapped />
        </Stack>
      )}
      {isNew ? (
        <NewKey
          close={() => setNew(false)}
          made={(key) => {
            setMade(key)
            setNew(false)
          }}
        />
      ) : (
        <Group>
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => {
              setMade(undefined)
              setNew(true)
            }}
          >
            {t.newKey}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function KeyTable({ keys }: { keys: readonly Token[] }) {
  const texts = useTexts()
  const { account: t, connect } = texts
  const now = useNow() / 1000
  const date = new Intl.DateTimeFormat(useLanguage(), { dateStyle: 'medium' })
  const [asked, setAsked] = useState<number>()
  const remove = useMutation({ mutationFn: deleteToken })
  return (
    <>
      <Table.ScrollContainer minWidth={520}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{connect.name}</Table.Th>
              <Table.Th>{t.mayDo}</Table.Th>
              <Table.Th>{t.lastUse}</Table.Th>
              <Table.Th>{connect.expires}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {keys.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>{key.name}</Table.Td>
                <Table.Td title={key.permissions?.join('\n')}>
                  {key.mount
                    ? connect.below(key.mount.prefix)
                    : key.permissions
                      ? t.someRights(key.permissions.length)
                      : t.allRights}
                </Table.Td>
                <Table.Td>
                  {key.accessed.length === 0 ? connect.never : ageText(now - key.last_used, texts)}
                </Table.Td>
                <Table.Td>
                  {key.expire === 0 ? connect.span(0) : date.format(key.expire * 1000)}
                </Table.Td>
                <Table.Td ta="right">
                  {asked === key.id ? (
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Text size="sm">{connect.deleteQuestion}</Text>
                      <Button
                        size="compact-sm"
                        color="red"
                        loading={remove.isPending}
                        onClick={() => remove.mutate(key.id)}
                      >
                        {connect.deleteYes}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="default"
                        onClick={() => setAsked(undefined)}
                      >
                        {connect.cancel}
                      </Button>
                    </Group>
                  ) : (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-label={`${connect.delete}: ${key.name}`}
                      onClick={() => setAsked(key.id)}
                    >
                      {connect.delete}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {remove.error && <Fault text={remove.error.message} />}
    </>
  )
}
