import { Alert, Anchor, Button, Center, Group, Stack, Text, TextInput, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { register } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'

const fields = [
  { name: 'first_name', autoComplete: 'given-name', type: 'text' },
  { name: 'last_name', autoComplete: 'family-name', type: 'text' },
  { name: 'email', autoComplete: 'username', type: 'email' }
] as const

const MAX_CHARACTERS = 255

/** Asks for an account. Whether the address may have one is told by mail only. */
export function RegisterPage() {
  const texts = useTexts()
  const t = texts.register
  const [person, setPerson] = useState({ first_name: '', last_name: '', email: '' })
  const [state, setState] = useState<'asking' | 'busy' | 'done'>('asking')
  const [fault, setFault] = useState<string>()
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setFault(undefined)
    setState('busy')
    try {
      await register(person)
      setState('done')
    } catch (error) {
      setState('asking')
      if (!(error instanceof CaracalError)) setFault(texts.error.offline)
      else if (error.status === 429) setFault(texts.signIn.wait(error.retryAfter ?? 60))
      else setFault(error.message)
    }
  }
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack className="panel" p="xl" w={400} maw="100%">
        <Group gap="sm">
          <img src="/assets/caracal.svg" width={32} height={32} alt="" />
          <Title order={1}>{t.title}</Title>
        </Group>
        {state === 'done' ? (
          <>
            <Text role="status">{t.done}</Text>
            <Anchor component={Link} to="/new-password">
              {texts.signIn.haveKey}
            </Anchor>
          </>
        ) : (
          <form onSubmit={(event) => void submit(event)}>
            <Stack>
              <Text className="muted">{t.help}</Text>
              {fields.map(({ name, ...field }) => (
                <TextInput
                  key={name}
                  {...field}
                  label={t[name]}
                  required
                  maxLength={MAX_CHARACTERS}
                  value={person[name]}
                  onChange={(event) => setPerson({ ...person, [name]: event.currentTarget.value })}
                />
              ))}
              {fault && <Alert color="red" role="alert" variant="light" title={fault} />}
              <Button type="submit" loading={state === 'busy'}>
                {t.go}
              </Button>
            </Stack>
          </form>
        )}
        <Anchor component={Link} to="/sign-in">
          {texts.signIn.back}
        </Anchor>
      </Stack>
    </Center>
  )
}
