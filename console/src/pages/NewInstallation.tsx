import { Button, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { installations, permissions, queryClient } from '../queries.ts'
import { call } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'

/** Makes an installation in the caller's organization, and goes on to its first device. */
export function NewInstallation() {
  const { installations: t } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const may = useQuery(permissions).data?.['installation/create']
  if (!may) return null
  return (
    <>
      <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setOpen(true)}>
        {t.add}
      </Button>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t.add}
        closeButtonProps={{ 'aria-label': t.close }}
      >
        <Form />
      </Modal>
    </>
  )
}

function Form() {
  const { installations: t } = useTexts()
  const navigate = useNavigate()
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const [name, setName] = useState('')
  const [zone, setZone] = useState(timeZone)
  const [fault, setFault] = useState('')
  const [isBusy, setBusy] = useState(false)
  const submit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setFault('')
    try {
      const body = { name: name.trim(), timezone: zone.trim() }
      const made = await call((caracal) => caracal.post('/api/v2/installation', { body }))
      await queryClient.invalidateQueries({ queryKey: installations.queryKey })
      await navigate({ to: '/installations/$id/connect', params: { id: made.id } })
    } catch (error) {
      setFault((error as Error).message)
    }
    setBusy(false)
  }
  const faultAt = (field: string) => fault.split('; ').find((one) => one.startsWith(`${field} `))
  const isPlaced = faultAt('name') !== undefined || faultAt('timezone') !== undefined
  return (
    <form onSubmit={(event) => void submit(event)}>
      <Stack>
        <TextInput
          label={t.name}
          description={t.nameHelp}
          value={name}
          error={faultAt('name')}
          required
          data-autofocus
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label={t.zone}
          description={t.zoneHelp}
          value={zone}
          error={faultAt('timezone')}
          onChange={(event) => setZone(event.currentTarget.value)}
        />
        {fault && !isPlaced && (
          <Text c="var(--bad)" role="alert">
            {fault}
          </Text>
        )}
        <Group justify="flex-end">
          <Button type="submit" loading={isBusy} disabled={name.trim() === ''}>
            {t.make}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
