import { Button, Group, PasswordInput, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { Fault } from '../modelx/Details.tsx'
import { queryClient, tokens } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { changePassword } from './api.ts'
import { MAX_CHARACTERS, MIN_CHARACTERS } from './password.ts'

const empty = { current: '', next: '', again: '' }

/** A new password. It ends the other sessions. */
export function PasswordForm({ email }: { email: string }) {
  const { account: t, newPassword, error } = useTexts()
  const [typed, setTyped] = useState(empty)
  const [wrong, setWrong] = useState('')
  const change = useMutation({
    mutationFn: changePassword,
    onSuccess: () => {
      setTyped(empty)
      void queryClient.invalidateQueries(tokens)
    }
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const isSame = typed.next === typed.again
    setWrong(isSame ? '' : newPassword.different)
    if (isSame) change.mutate({ current_password: typed.current, new_password: typed.next })
  }
  const told = (failure: Error) =>
    failure instanceof CaracalError ? failure.message : error.offline
  const field = (name: keyof typeof empty, label: string, description?: string) => (
    <PasswordInput
      label={label}
      description={description}
      required
      minLength={name === 'current' ? undefined : MIN_CHARACTERS}
      maxLength={MAX_CHARACTERS}
      autoComplete={name === 'current' ? 'current-password' : 'new-password'}
      value={typed[name]}
      onChange={(event) => {
        change.reset()
        setTyped({ ...typed, [name]: event.currentTarget.value })
      }}
    />
  )
  return (
    <form className="account-form" onSubmit={submit}>
      {/* A keeper of passwords finds the account by it. */}
      <input type="hidden" autoComplete="username" value={email} readOnly />
      {field('current', t.currentPassword)}
      {field('next', newPassword.password, newPassword.rules(MIN_CHARACTERS, MAX_CHARACTERS))}
      {field('again', newPassword.again)}
      <Text className="muted">{t.passwordEnds}</Text>
      {(wrong || change.error) && <Fault text={wrong || told(change.error as Error)} />}
      <Group gap="xs">
        <Button type="submit" loading={change.isPending}>
          {newPassword.set}
        </Button>
        <Text role="status" className="muted">
          {change.isSuccess && t.passwordSet}
        </Text>
      </Group>
    </form>
  )
}
