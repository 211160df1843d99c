import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { deleteUser, users } from './api.ts'
import { drafts } from './draft.ts'
import { type People, told } from './people.ts'
import { nameOf } from './rows.ts'
import type { User } from './types.ts'

type Props = { user: User; people: People; deleted: () => void }

/** Asks before a user is deleted, and says what goes. */
export function DeleteUser({ user, people: { may }, deleted }: Props) {
  const texts = useTexts()
  const { users: t } = texts
  const [isAsking, setAsking] = useState(false)
  const remove = useMutation({
    mutationFn: () => deleteUser(user.id),
    onSuccess: () => {
      drafts.drop()
      deleted()
      queryClient.setQueryData(users.queryKey, (all) => all?.filter(({ id }) => id !== user.id))
    }
  })
  return (
    <>
      <Group>
        <Button
          variant="outline"
          color="red"
          c="var(--bad)"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t.delete}
        </Button>
      </Group>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t.deleteTitle(nameOf(user))}
        closeButtonProps={{ 'aria-label': t.keep }}
        zIndex={300}
        centered
      >
        <Stack>
          <Text>{t.deleteHelp(user.email)}</Text>
          {remove.error && <Fault text={told(remove.error, 'user/create/delete', may, texts)} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setAsking(false)} data-autofocus>
              {t.keep}
            </Button>
            <Button color="red" loading={remove.isPending} onClick={() => remove.mutate()}>
              {t.deleteGo}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  )
}
