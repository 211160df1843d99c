import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Fault } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { mailKey, setDisabled } from './api.ts'
import { type People, told } from './people.ts'
import { nameOf } from './rows.ts'
import type { User } from './types.ts'

type Props = { user: User; people: People; isSelf: boolean }

/** A new password by mail, and an end to the access. The platform does not say how it is now. */
export function Access({ user, people: { may }, isSelf }: Props) {
  const texts = useTexts()
  const { users: t } = texts
  const [isAsking, setAsking] = useState(false)
  const mail = useMutation({ mutationFn: () => mailKey(user.email) })
  const disable = useMutation({
    mutationFn: (isDisabled: boolean) => setDisabled(user.id, isDisabled),
    onSettled: () => setAsking(false)
  })
  const mayDisable = may['user/update'] === true && !isSelf
  return (
    <Stack gap="sm">
      <Group gap="xs">
        <Button variant="default" loading={mail.isPending} onClick={() => mail.mutate()}>
          {t.mail}
        </Button>
        <Text role="status" className="muted">
          {mail.isSuccess && t.mailed(user.email)}
        </Text>
      </Group>
      {mail.error && <Fault text={told(mail.error, '', may, texts)} />}
      {mayDisable && <Text className="muted">{t.disableHelp}</Text>}
      {mayDisable && !isAsking && (
        <Group gap="xs">
          <Button variant="default" c="var(--bad)" onClick={() => setAsking(true)}>
            {t.disable}
          </Button>
          <Button
            variant="default"
            loading={disable.isPending}
            onClick={() => disable.mutate(false)}
          >
            {t.enable}
          </Button>
        </Group>
      )}
      {isAsking && (
        <Group gap="xs" role="alertdialog" aria-label={t.disable}>
          <Text>{t.disableSure(nameOf(user))}</Text>
          <Button variant="default" size="xs" onClick={() => setAsking(false)}>
            {t.leaveSo}
          </Button>
          <Button
            color="red"
            size="xs"
            loading={disable.isPending}
            onClick={() => disable.mutate(true)}
          >
            {t.disableGo}
          </Button>
        </Group>
      )}
      {disable.error && <Fault text={told(disable.error, 'user/update', may, texts)} />}
      <Text role="status" className="muted">
        {disable.isSuccess && (disable.variables ? t.disabled : t.enabled)}
      </Text>
    </Stack>
  )
}
