import { Button, Group, Modal, Progress, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import type { Progress as Done, Work } from './work.ts'

type Props = { work: Work; progress: Done; title: string; close: () => void }

/** How far the work is, a button that stops it, and what failed and why. */
export function WorkPanel({ work, progress, title, close }: Props) {
  const { many: t } = useTexts()
  const { total, done, failures, state } = progress
  const isOver = state === 'over'
  const left = total - done
  return (
    <Modal
      opened
      onClose={() => isOver && close()}
      withCloseButton={false}
      closeOnEscape={isOver}
      title={title}
      size="lg"
      centered
    >
      <Stack>
        <Progress value={total === 0 ? 100 : (100 * done) / total} aria-label={title} />
        <Text role="status">
          {!isOver
            ? t.progress(done, total)
            : left > 0
              ? t.stopped(done - failures.length, left)
              : t.done(done - failures.length)}
        </Text>
        {failures.length > 0 && (
          <>
            <Text c="var(--bad)" fw={600}>
              {t.failed(failures.length)}
            </Text>
            <ScrollArea.Autosize mah={240} type="auto">
              <Table aria-label={t.failed(failures.length)}>
                <Table.Tbody>
                  {failures.map(({ name, why }, i) => (
                    // Failures are only added at the end.
                    // biome-ignore lint/suspicious/noArrayIndexKey: two may have the same name
                    <Table.Tr key={i}>
                      <Table.Th scope="row" style={{ overflowWrap: 'anywhere' }}>
                        {name}
                      </Table.Th>
                      <Table.Td style={{ overflowWrap: 'anywhere' }}>{why}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </ScrollArea.Autosize>
          </>
        )}
        <Group justify="flex-end">
          {isOver ? (
            <Button onClick={close} data-autofocus>
              {t.close}
            </Button>
          ) : (
            <Button variant="default" onClick={work.stop} disabled={state === 'stops'}>
              {t.stop}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
}
