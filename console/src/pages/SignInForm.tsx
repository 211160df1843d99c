import { Alert, Anchor, Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { askForNewPassword, type NextStep, signIn } from '../session/session.ts'
import { type Texts, useTexts } from '../texts/texts.ts'

type Step = 'password' | 'code' | 'lost' | 'sent'

/** Signs in, with a second factor where the account has one. `note` is shown above the fields. */
export function SignInForm({ note }: { note?: string }) {
  const texts = useTexts()
  const t = texts.signIn
  const [step, setStep] = useState<Step>('password')
  const [email, setEmail] = useState('')
  const [password, setPassword] = useState('')
  const [code, setCode] = useState('')
  const [next, setNext] = useState<NextStep>()
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)

  const tried = async (work: () => Promise<void>) => {
    setBusy(true)
    setFault(undefined)
    await work().catch((error) => setFault(faultText(error, step, texts)))
    setBusy(false)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    void tried(async () => {
      if (step === 'lost') {
        await askForNewPassword(email)
        setStep('sent')
        return
      }
      if (step === 'code') return next?.finish(code.trim())
      const further = await signIn(email, password)
      if (!further) return
      setNext(further)
      setStep('code')
    })
  }

  return (
    <form onSubmit={submit}>
      <Stack>
        {note && step === 'password' && <Text>{note}</Text>}
        {step === 'lost' && <Text>{t.lostHelp}</Text>}
        {step === 'code' && (
          <TextInput
            label={t.code}
            description={t.codeHelp}
            inputMode="numeric"
            autoComplete="one-time-code"
            required
            autoFocus
            value={code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        )}
        {step === 'sent' && <Text role="status">{t.sent}</Text>}
        {(step === 'sent' || step === 'lost') && (
          <Anchor component={Link} to="/new-password">
            {t.haveKey}
          </Anchor>
        )}
        {(step === 'password' || step === 'lost') && (
          <TextInput
            label={t.email}
            type="email"
            autoComplete="username"
            required
            autoFocus
            value={email}
            onChange={(event) => setEmail(event.currentTarget.value)}
          />
        )}
        {step === 'password' && (
          <PasswordInput
            label={t.password}
            autoComplete="current-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
          />
        )}
        {fault && <Alert color="red" role="alert" variant="light" title={fault} />}
        {step !== 'sent' && (
          <Button type="submit" loading={isBusy}>
            {step === 'lost' ? t.send : step === 'code' ? t.finish : t.go}
          </Button>
        )}
        {step === 'password' ? (
          <Group justify="space-between">
            <Anchor component="button" type="button" onClick={() => setStep('lost')}>
              {t.lost}
            </Anchor>
            <Anchor component={Link} to="/register">
              {t.register}
            </Anchor>
          </Group>
        ) : (
          <Back to={setStep} text={t.back} />
        )}
      </Stack>
    </form>
  )
}

function Back({ to, text }: { to: (step: Step) => void; text: string }) {
  return (
    <Anchor component="button" type="button" onClick={() => to('password')}>
      {text}
    </Anchor>
  )
}

function faultText(error: unknown, step: Step, { signIn, error: errors }: Texts): string {
  if (!(error instanceof CaracalError)) return errors.offline
  if (error.status === 429) return signIn.wait(error.retryAfter ?? 60)
  if (error.status === 401) return step === 'code' ? signIn.wrongCode : signIn.wrong
  return error.message
}
