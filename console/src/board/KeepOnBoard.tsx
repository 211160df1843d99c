import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconPinned } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import type { Row } from '../live/shown.ts'
import type { Range } from '../plot/range.ts'
import { useTexts } from '../texts/texts.ts'
import { keepOnBoard, MAX_TITLE_LENGTH, rangeFields } from './boards.ts'

type Props = { id: number; rows: readonly Row[]; range: Range; compare: boolean }

/** Asks for a title, and adds the plot to the board of the installation. */
export function KeepOnBoard({ id, rows, range, compare }: Props) {
  const { plot: t, board, error } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const [title, setTitle] = useState('')
  const keep = useMutation({
    mutationFn: () =>
      keepOnBoard(id, {
        title: title.trim(),
        topics: rows.map(({ short }) => short),
        ...rangeFields(range),
        ...(compare && { compare })
      }),
    onSuccess: () => setOpen(false)
  })
  const open = () => {
    setTitle(
      rows
        .map(({ name }) => name)
        .join(', ')
        .slice(0, MAX_TITLE_LENGTH)
    )
    keep.reset()
    setOpen(true)
  }
  const isEmpty = title.trim() === ''
  const fault = keep.error instanceof CaracalError ? keep.error.message : error.offline
  return (
    <Group ml="auto" gap="sm">
      {keep.isSuccess && (
        <Text role="status">
          {t.kept}{' '}
          <Link className="link" to="/installations/$id/board" params={{ id }}>
            {t.toBoard}
          </Link>
        </Text>
      )}
      <Button leftSection={<IconPinned size={16} aria-hidden />} onClick={open}>
        {t.keep}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={t.keep} withCloseButton={false}>
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (!isEmpty) keep.mutate()
          }}
        >
          <Stack>
            <TextInput
              label={t.title}
              value={title}
              maxLength={MAX_TITLE_LENGTH}
              data-autofocus
              error={(isEmpty && board.needsTitle) || (keep.isError && fault)}
              onChange={(event) => setTitle(event.currentTarget.value)}
            />
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setOpen(false)}>
                {t.cancel}
              </Button>
              <Button type="submit" loading={keep.isPending} disabled={isEmpty}>
                {t.keepGo}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </Group>
  )
}
