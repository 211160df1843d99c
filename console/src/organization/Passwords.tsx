import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Fault } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { told } from '../user/people.ts'
import { forceNewPasswords, type Organization } from './api.ts'
import type { TreeOf } from './useTree.ts'

type Props = { organization: Organization; tree: TreeOf }

/** Makes all members set a new password. */
export function Passwords({ organization: { id, name }, tree }: Props) {
  const texts = useTexts()
  const { organizations: t, users } = texts
  const [isAsking, setAsking] = useState(false)
  const force = useMutation({
    mutationFn: () => forceNewPasswords(id),
    onSettled: () => setAsking(false)
  })
  return (
    <Stack gap="sm">
      {isAsking ? (
        <Group gap="xs" role="alertdialog" aria-label={t.newPasswords}>
          <Text>{t.newPasswordsSure(name)}</Text>
          <Button variant="default" size="xs" onClick={() => setAsking(false)}>
            {users.leaveSo}
          </Button>
          <Button color="red" size="xs" loading={force.isPending} onClick={() => force.mutate()}>
            {t.newPasswordsGo}
          </Button>
        </Group>
      ) : (
        <Group>
          <Button variant="default" onClick={() => setAsking(true)}>
            {t.newPasswords}
          </Button>
        </Group>
      )}
      {force.error && <Fault text={told(force.error, 'user/update', tree.may, texts)} />}
      <Text role="status" className="muted">
        {force.isSuccess && t.newPasswordsDone(Number.parseInt(force.data.message, 10) || 0)}
      </Text>
    </Stack>
  )
}
