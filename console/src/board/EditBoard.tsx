import { ActionIcon, Alert, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconArrowDown, IconArrowUp, IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { board, queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { type Board, type BoardPlot, isConflict, MAX_TITLE_LENGTH, saveBoard } from './boards.ts'

type Entry = { key: number; plot: BoardPlot; isRemoved: boolean }

/** Nothing changes before it is saved. What is typed stays when the board is read again. */
export function EditBoard({ id, start, onDone }: { id: number; start: Board; onDone: () => void }) {
  const { board: t, error } = useTexts()
  const [entries, setEntries] = useState<readonly Entry[]>(() =>
    start.plots.map((plot, key) => ({ key, plot, isRemoved: false }))
  )
  const save = useMutation({
    mutationFn: (updated: number | undefined) =>
      saveBoard(id, entries.filter(({ isRemoved }) => !isRemoved).map(trimmed), updated),
    onSuccess: onDone
  })
  const change = (key: number, next: Partial<Entry>) =>
    setEntries(entries.map((entry) => (entry.key === key ? { ...entry, ...next } : entry)))
  const move = (i: number, by: 1 | -1) => {
    const next = [...entries]
    const [moved] = next.splice(i, 1)
    if (moved) next.splice(i + by, 0, moved)
    setEntries(next)
  }
  const takeTheirs = async () => {
    await queryClient.invalidateQueries({ queryKey: board(id).queryKey })
    onDone()
  }
  const hasTitles = entries.every(({ plot, isRemoved }) => isRemoved || plot.title.trim() !== '')
  const fault = save.error instanceof CaracalError ? save.error.message : error.offline
  return (
    <Stack
      component="form"
      gap="xs"
      onSubmit={(event: React.FormEvent) => {
        event.preventDefault()
        if (hasTitles) save.mutate(start.updated)
      }}
    >
      {save.isError && isConflict(save.error) && (
        <Alert color="yellow" variant="outline" role="alert">
          <Stack gap="xs">
            <Text>{t.conflict}</Text>
            <Group gap="xs">
              <Button variant="default" onClick={() => save.mutate(undefined)}>
                {t.saveOver}
              </Button>
              <Button variant="default" onClick={() => void takeTheirs()}>
                {t.takeTheirs}
              </Button>
            </Group>
          </Stack>
        </Alert>
      )}
      {save.isError && !isConflict(save.error) && (
        <Text c="var(--bad)" role="alert">
          {fault}
        </Text>
      )}
      {entries.map(({ key, plot, isRemoved }, i) => {
        const name = start.plots[key]?.title ?? ''
        if (isRemoved) {
          return (
            <Group key={key} className="panel" p="xs" justify="space-between">
              <Text className="muted">{t.removed(name)}</Text>
              <Button variant="default" onClick={() => change(key, { isRemoved: false })}>
                {t.undo}
              </Button>
            </Group>
          )
        }
        return (
          <Group key={key} className="panel" p="xs" gap="xs" wrap="nowrap">
            <TextInput
              flex={1}
              aria-label={t.titleOf(name)}
              value={plot.title}
              maxLength={MAX_TITLE_LENGTH}
              error={plot.title.trim() === '' && t.needsTitle}
              onChange={(event) =>
                change(key, { plot: { ...plot, title: event.currentTarget.value } })
              }
            />
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t.up(name)}
              disabled={i === 0}
              onClick={() => move(i, -1)}
            >
              <IconArrowUp size={18} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t.down(name)}
              disabled={i === entries.length - 1}
              onClick={() => move(i, 1)}
            >
              <IconArrowDown size={18} aria-hidden />
            </ActionIcon>
            <ActionIcon
              variant="default"
              size={36}
              aria-label={t.remove(name)}
              onClick={() => change(key, { isRemoved: true })}
            >
              <IconTrash size={18} aria-hidden />
            </ActionIcon>
          </Group>
        )
      })}
      <Group justify="flex-end">
        <Button variant="default" onClick={onDone}>
          {t.cancel}
        </Button>
        <Button type="submit" loading={save.isPending} disabled={!hasTitles}>
          {t.save}
        </Button>
      </Group>
    </Stack>
  )
}

const trimmed = ({ plot }: Entry): BoardPlot => ({ ...plot, title: plot.title.trim() })
