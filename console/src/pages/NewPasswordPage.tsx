import {
  Alert,
  Anchor,
  Button,
  Center,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Title
} from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { MAX_CHARACTERS, MIN_CHARACTERS } from '../account/password.ts'
import { setNewPassword } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'

/** The key in `/new-password#key=...`. It leaves the address, so that no history keeps it. */
function takeKey(): string {
  const key = new URLSearchParams(location.hash.slice(1)).get('key') ?? ''
  if (location.hash !== '') history.replaceState(history.state, '', location.pathname)
  return key
}

/** Sets the password with the key of a mail. */
export function NewPasswordPage() {
  const texts = useTexts()
  const t = texts.newPassword
  const [keyOfAddress] = useState(takeKey)
  const [key, setKey] = useState(keyOfAddress)
  const [password, setPassword] = useState('')
  const [again, setAgain] = useState('')
  const [fault, setFault] = useState<string>()
  const [state, setState] = useState<'asking' | 'busy' | 'done'>('asking')

  const faultOf = (): string | undefined => {
    const { length } = [...password]
    if (length < MIN_CHARACTERS) return t.tooShort(MIN_CHARACTERS)
    if (length > MAX_CHARACTERS) return t.tooLong(MAX_CHARACTERS)
    return password === again ? undefined : t.different
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    const wrong = faultOf()
    setFault(wrong)
    if (wrong) return
    setState('busy')
    try {
      await setNewPassword(key.trim(), password)
      setState('done')
    } catch (error) {
      setState('asking')
      if (!(error instanceof CaracalError)) setFault(texts.error.offline)
      // [contract: Auth] A 400 of this route has no body.
      else setFault(error.status === 400 ? t.refused : error.message)
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
            <Button component={Link} to="/sign-in" autoFocus>
              {t.toSignIn}
            </Button>
          </>
        ) : (
          <form onSubmit={(event) => void submit(event)}>
            <Stack>
              {keyOfAddress === '' ? (
                <TextInput
                  label={t.key}
                  description={t.keyHelp}
                  autoComplete="off"
                  required
                  autoFocus
                  value={key}
                  onChange={(event) => setKey(event.currentTarget.value)}
                />
              ) : (
                <Text>{t.fromMail}</Text>
              )}
              <PasswordInput
                label={t.password}
                description={t.rules(MIN_CHARACTERS, MAX_CHARACTERS)}
                autoComplete="new-password"
                required
                autoFocus={keyOfAddress !== ''}
                value={password}
                onChange={(event) => setPassword(event.currentTarget.value)}
              />
              <PasswordInput
                label={t.again}
                autoComplete="new-password"
                required
                value={again}
                onChange={(event) => setAgain(event.currentTarget.value)}
              />
              {fault && (
                <Alert color="red" role="alert" variant="light">
                  {fault}
                </Alert>
              )}
              <Button type="submit" loading={state === 'busy'}>
                {t.set}
              </Button>
              <Anchor component={Link} to="/sign-in">
                {texts.signIn.back}
              </Anchor>
            </Stack>
          </form>
        )}
      </Stack>
    </Center>
  )
}
