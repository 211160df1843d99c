import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Fault, refusal } from '../modelx/Details.tsx'
import { signOut } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'
import { deleteMe } from './api.ts'

/** Deletes the own account, after its address is typed. */
export function DeleteAccount({ email }: { email: string }) {
  const texts = useTexts()
  const { account: t, connect } = texts
  const [isAsking, setAsking] = useState(false)
  const [typed, setTyped] = useState('')
  const remove = useMutation({ mutationFn: deleteMe, onSuccess: signOut })
  return (
    <>
      <Group>
        <Button variant="outline" color="red" c="var(--bad)" onClick={() => setAsking(true)}>
          {t.deleteAccount}
        </Button>
      </Group>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t.deleteAccount}
        closeButtonProps={{ 'aria-label': connect.cancel }}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (typed === email) remove.mutate()
          }}
        >
          <Stack>
            <Text>{t.deleteHelp}</Text>
            <TextInput
              label={t.typeEmail(email)}
              autoComplete="off"
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              data-autofocus
            />
            {remove.error && <Fault text={refusal(remove.error, 'user/delete', texts)} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setAsking(false)}>
                {connect.cancel}
              </Button>
              <Button
                type="submit"
                color="red"
                disabled={typed !== email}
                loading={remove.isPending}
              >
                {t.deleteGo}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  )
}
