import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { MountFields } from '../certificate/MountFields.tsx'
import type { Prefix } from '../certificate/prefix.ts'
import { Part } from '../frame/Part.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Credentials, makeCredentials, resetGateway } from './api.ts'
import { Issued } from './Issued.tsx'

type Props = {
  id: number
  /** Of the installation. */
  name: string
  /** A gateway with a credential is known. */
  isKnown: boolean
  mayMake: boolean
  mayReset: boolean
}

/** Makes the credential of the gateway, or takes it away. */
export function Credential({ id, name, isKnown, mayMake, mayReset }: Props) {
  const texts = useTexts()
  const { gatewayPage: t, error } = texts
  const [asked, setAsked] = useState<'make' | 'reset'>()
  const [prefix, setPrefix] = useState<Prefix>()
  const [made, setMade] = useState<Credentials>()
  const stay = () => setAsked(undefined)
  const make = useMutation({
    mutationFn: () => makeCredentials(id, prefix),
    onSuccess: (credentials) => {
      stay()
      setMade(credentials)
    }
  })
  const reset = useMutation({ mutationFn: () => resetGateway(id), onSuccess: stay })
  const ask = (what: 'make' | 'reset') => {
    make.reset()
    reset.reset()
    setPrefix(undefined)
    setAsked(what)
  }
  return (
    <Part title={t.credential} help={t.credentialHelp}>
      <Group gap="xs">
        {mayMake && <Button onClick={() => ask('make')}>{t.make}</Button>}
        {mayReset && (
          <Button variant="subtle" color="red" c="var(--bad)" onClick={() => ask('reset')}>
            {t.reset}
          </Button>
        )}
      </Group>
      {!mayMake && <Text className="muted">{error.needs('installation/update')}</Text>}
      {!mayReset && <Text className="muted">{error.needs('gateway/reset/password')}</Text>}
      {reset.isSuccess && <Text role="status">{t.wasReset}</Text>}
      <Question
        {...{ stay }}
        isOpen={asked === 'make'}
        title={t.makeTitle(name)}
        fault={make.error && refusal(make.error, 'installation/update', texts)}
        go={
          <Button loading={make.isPending} onClick={() => make.mutate()}>
            {t.makeGo}
          </Button>
        }
      >
        <Text>{isKnown ? t.makeEnds : t.makeFirst}</Text>
        <MountFields prefix={prefix} onChange={setPrefix} />
      </Question>
      <Question
        {...{ stay }}
        isOpen={asked === 'reset'}
        title={t.resetTitle(name)}
        fault={reset.error && refusal(reset.error, 'gateway/reset/password', texts)}
        go={
          <Button color="red" loading={reset.isPending} onClick={() => reset.mutate()}>
            {t.resetGo}
          </Button>
        }
      >
        <Text>{t.resetGoes}</Text>
        <Text>{t.resetStays}</Text>
      </Question>
      <Issued
        made={made}
        close={() => {
          setMade(undefined)
          make.reset()
        }}
      />
    </Part>
  )
}

type QuestionProps = {
  isOpen: boolean
  title: string
  fault: string | null
  stay: () => void
  go: ReactNode
  children: ReactNode
}

function Question({ isOpen, title, fault, stay, go, children }: QuestionProps) {
  const { gatewayPage: t, functions: texts } = useTexts()
  return (
    <Modal
      opened={isOpen}
      onClose={stay}
      title={title}
      closeButtonProps={{ 'aria-label': texts.close }}
      classNames={{ title: 'drawer-title' }}
      centered
    >
      <Stack>
        {children}
        {fault && <Fault text={fault} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            {t.cancel}
          </Button>
          {go}
        </Group>
      </Stack>
    </Modal>
  )
}
