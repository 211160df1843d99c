import { Button, Group, Stack, Table, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ageText, useNow } from '../clock.ts'
import { tokens } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { deleteKey, isDeviceKey } from './key.ts'

/** The last use of a key changes while the page is open. */
const REFRESH_MS = 15_000

type Props = { id: number; current: number | undefined; onDeleted: (keyId: number) => void }

/** The caller's keys for devices of this installation, so that none is forgotten. */
export function Keys({ id, current, onDeleted }: Props) {
  const texts = useTexts()
  const t = texts.connect
  const language = useLanguage()
  const now = useNow() / 1000
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium' })
  const mine = useQuery({ ...tokens, refetchInterval: REFRESH_MS })
  const all = mine.data?.filter((one) => isDeviceKey(one, id)) ?? []
  const [asked, setAsked] = useState<number>()
  const remove = useMutation({
    mutationFn: deleteKey,
    onSuccess: (_done, keyId) => {
      setAsked(undefined)
      onDeleted(keyId)
    }
  })
  if (all.length === 0) return null
  return (
    <Stack component="section" aria-label={t.keys} gap="xs">
      <Title order={2} size="h4">
        {t.keys}
      </Title>
      <Table.ScrollContainer minWidth={480} className="panel">
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.name}</Table.Th>
              <Table.Th>{t.made}</Table.Th>
              <Table.Th>{t.lastUse}</Table.Th>
              <Table.Th>{t.expires}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {all.map((key) => (
              <Table.Tr key={key.id}>
                <Table.Td style={{ overflowWrap: 'anywhere' }}>
                  {key.name}
                  {key.mount && <Text className="muted">{t.below(key.mount.prefix)}</Text>}
                </Table.Td>
                <Table.Td>{date.format(key.created * 1000)}</Table.Td>
                <Table.Td>
                  {key.accessed.length === 0 ? t.never : ageText(now - key.last_used, texts)}
                </Table.Td>
                <Table.Td>{key.expire === 0 ? t.span(0) : date.format(key.expire * 1000)}</Table.Td>
                <Table.Td ta="right">
                  {asked === key.id ? (
                    <Group gap="xs" justify="flex-end" wrap="nowrap">
                      <Text size="sm">
                        {key.id === current ? t.deleteCurrent : t.deleteQuestion}
                      </Text>
                      <Button
                        size="compact-sm"
                        color="red"
                        variant="light"
                        loading={remove.isPending}
                        onClick={() => remove.mutate(key.id)}
                      >
                        {t.deleteYes}
                      </Button>
                      <Button
                        size="compact-sm"
                        variant="subtle"
                        onClick={() => setAsked(undefined)}
                      >
                        {t.cancel}
                      </Button>
                    </Group>
                  ) : (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-label={`${t.delete}: ${key.name}`}
                      onClick={() => setAsked(key.id)}
                    >
                      {t.delete}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {remove.error && <Text c="var(--bad)">{remove.error.message}</Text>}
    </Stack>
  )
}
