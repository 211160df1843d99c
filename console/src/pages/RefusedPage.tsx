import { Button, Skeleton, Stack, Table, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Problem } from '../frame/Problem.tsx'
import { ledgerPages } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'

/** Messages that were acknowledged but not stored, and what to do about each. */
export function RefusedPage() {
  const { connect, refused: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/refused' })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    ledgerPages(id)
  )
  const moment = useMoment(id)
  const adviceOn = (reason: string) =>
    connect.reasons[reason as keyof typeof connect.reasons] ?? connect.refusedElse
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={240} radius={12} />
  const entries = data.pages.flat()
  return (
    <Stack gap="md">
      <Text className="muted" maw={620}>
        {t.help}
      </Text>
      {entries.length === 0 ? (
        <Stack className="panel" p="lg" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">{t.emptyHelp}</Text>
        </Stack>
      ) : (
        <div className="panel">
          <Table.ScrollContainer minWidth={640}>
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  {[t.when, t.why, t.message, t.sender].map((name) => (
                    <Table.Th key={name}>{name}</Table.Th>
                  ))}
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {entries.map((one) => (
                  <Table.Tr key={one.id} style={{ verticalAlign: 'top' }}>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>{moment(one.timestamp)}</Table.Td>
                    <Table.Td maw={320}>
                      <Text fw={600}>{one.reason}</Text>
                      <Text className="muted">{adviceOn(one.reason)}</Text>
                    </Table.Td>
                    <Table.Td maw={360} style={{ overflowWrap: 'anywhere' }}>
                      <Text className="topic">{one.topic}</Text>
                      <Text ff="monospace" size="xs">
                        {one.payload}
                      </Text>
                    </Table.Td>
                    <Table.Td style={{ overflowWrap: 'anywhere' }}>{one.sender}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </Table.ScrollContainer>
        </div>
      )}
      {hasNextPage && (
        <Button
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
          style={{ alignSelf: 'flex-start' }}
        >
          {t.older}
        </Button>
      )}
    </Stack>
  )
}
