import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { functions, queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { listOf, type Model, type Place, remove, words } from './api.ts'
import { Fault, refusal } from './Details.tsx'
import { nameOf } from './rows.ts'

type Props = {
  place: Place
  model: Model
  isOpen: boolean
  stay: () => void
  deleted: () => void
}

export function DeleteQuestion({ place, model, isOpen, stay, deleted }: Props) {
  const texts = useTexts()
  const t = texts.functions
  const [fault, setFault] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const all = useQuery(functions(place.installation_id)).data ?? []
  const uses = all.filter(({ meta }) => meta.device_id === String(model.id)).length
  const go = async () => {
    setBusy(true)
    try {
      await remove(place, model.id)
      deleted()
      await queryClient.invalidateQueries({ queryKey: listOf(place).queryKey })
    } catch (error) {
      setFault(refusal(error as Error, `${words[place.kind].resource}/create_delete`, texts))
      setBusy(false)
    }
  }
  return (
    <Modal
      opened={isOpen}
      onClose={stay}
      title={t.deleteTitle(nameOf(model))}
      zIndex={300}
      centered
    >
      <Stack>
        <Text>{t.deleteHelp}</Text>
        {place.kind === 'devices' && uses > 0 && <Text>{t.deleteUses(uses)}</Text>}
        {fault && <Fault text={fault} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            {t.keep}
          </Button>
          <Button color="red" loading={isBusy} onClick={() => void go()}>
            {t.deleteGo}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
