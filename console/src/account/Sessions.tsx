import { Badge, Button, Group, Stack, Table, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { ageText, useNow } from '../clock.ts'
import { Fault } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { deleteToken, type Token } from './api.ts'
import { programOf } from './program.ts'

/** Where the account is signed in. */
export function Sessions({ sessions }: { sessions: readonly Token[] }) {
  const texts = useTexts()
  const { account: t } = texts
  const now = useNow() / 1000
  const others = sessions.filter(({ current }) => !current)
  const end = useMutation({
    mutationFn: async (ids: readonly number[]) => {
      for (const id of ids) await deleteToken(id)
    }
  })
  return (
    <Stack gap="sm">
      <Table.ScrollContainer minWidth={420}>
        <Table verticalSpacing="xs">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.program}</Table.Th>
              <Table.Th>{t.from}</Table.Th>
              <Table.Th>{t.lastUse}</Table.Th>
              <Table.Th />
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {sessions.map((one) => (
              <Table.Tr key={one.id}>
                <Table.Td maw={280} style={{ overflowWrap: 'anywhere' }}>
                  {programOf(one.agent) || t.unknownProgram}
                </Table.Td>
                <Table.Td>{one.accessed[0]?.ip}</Table.Td>
                <Table.Td>{ageText(now - one.last_used, texts)}</Table.Td>
                <Table.Td ta="right">
                  {one.current ? (
                    <Badge variant="light" color="gray" c="var(--ink)" tt="none">
                      {t.thisOne}
                    </Badge>
                  ) : (
                    <Button
                      size="compact-sm"
                      variant="subtle"
                      aria-label={`${t.end}: ${programOf(one.agent) || t.unknownProgram}`}
                      onClick={() => end.mutate([one.id])}
                    >
                      {t.end}
                    </Button>
                  )}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      {end.error && <Fault text={end.error.message} />}
      {others.length > 0 && (
        <Group>
          <Button
            variant="default"
            loading={end.isPending}
            onClick={() => end.mutate(others.map(({ id }) => id))}
          >
            {t.endOthers(others.length)}
          </Button>
        </Group>
      )}
      {others.length === 0 && <Text className="muted">{t.onlyThis}</Text>}
    </Stack>
  )
}
