import { Button, Stack, Table, Text } from '@mantine/core'
import type { Schemas } from '../../../tools/client/client.ts'
import { useTexts } from '../texts/texts.ts'

type Props = {
  entries: readonly Schemas['LedgerEntry'][]
  moment: (seconds: number) => string
  /** Undefined: there are no older ones. */
  older: (() => void) | undefined
  isLoading: boolean
}

/** Messages that were acknowledged but not stored, and what to do about each. */
export function RefusedList({ entries, moment, older, isLoading }: Props) {
  const { connect, installation: of, refused: t } = useTexts()
  const adviceOn = (reason: string) =>
    connect.reasons[reason as keyof typeof connect.reasons] ?? connect.refusedElse
  return (
    <>
      {entries.length === 0 ? (
        <Stack p="xs" gap="xs">
          <Text fw={600}>{t.empty}</Text>
          <Text className="muted">{t.emptyHelp}</Text>
        </Stack>
      ) : (
        <Table.ScrollContainer
          minWidth={640}
          scrollAreaProps={{
            viewportProps: { tabIndex: 0, role: 'group', 'aria-label': of.refused }
          }}
        >
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
      )}
      {older && (
        <Button
          variant="default"
          loading={isLoading}
          onClick={older}
          style={{ alignSelf: 'flex-start' }}
        >
          {t.older}
        </Button>
      )}
    </>
  )
}
