import { Button, Group, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useNow } from '../clock.ts'
import { dateFormat } from '../formats.ts'
import { Fault } from '../modelx/Details.tsx'
import { useLocale, useTexts } from '../texts/texts.ts'
import { mailKey, setDisabled, show } from './api.ts'
import { type People, told } from './people.ts'
import { hasEnded, nameOf } from './rows.ts'
import type { User } from './types.ts'

type Props = { user: User; people: People; isSelf: boolean }

/** A new password by mail, and an end to the access. */
export function Access({ user, people: { may }, isSelf }: Props) {
  const texts = useTexts()
  const { users: t } = texts
  const [isAsking, setAsking] = useState(false)
  const mail = useMutation({ mutationFn: () => mailKey(user.email) })
  const disable = useMutation({
    mutationFn: (isDisabled: boolean) => setDisabled(user.id, isDisabled),
    onSuccess: show,
    onSettled: () => setAsking(false)
  })
  const ended = hasEnded(user, useNow())
  const date = dateFormat(useLocale(), { dateStyle: 'medium', timeStyle: 'short' })
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
      <Text role="status" c={ended ? 'var(--bad)' : undefined}>
        {ended
          ? t.disabled
          : user.expire_at
            ? t.ends(date.format(user.expire_at * 1000))
            : t.enabled}
      </Text>
      {mayDisable && <Text className="muted">{t.disableHelp}</Text>}
      {mayDisable && !isAsking && (
        <Group gap="xs">
          {!ended && (
            <Button variant="default" c="var(--bad)" onClick={() => setAsking(true)}>
              {t.disable}
            </Button>
          )}
          {user.expire_at && (
            <Button
              variant="default"
              loading={disable.isPending}
              onClick={() => disable.mutate(false)}
            >
              {ended ? t.enable : t.endless}
            </Button>
          )}
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
    </Stack>
  )
}
