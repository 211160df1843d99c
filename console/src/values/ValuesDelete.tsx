import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Part } from '../frame/Part.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { wallText } from '../plot/zone.ts'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { countOf, deleted, type Stretch } from './api.ts'
import { nothing, StretchFields, stretchOf } from './StretchFields.tsx'

type Props = { installation_id: number; zone: string }

const isWhole = (stretch: Stretch | undefined): stretch is Required<Stretch> =>
  stretch !== undefined &&
  stretch.topics.length > 0 &&
  stretch.from !== undefined &&
  stretch.to !== undefined

/** Deletes values of some topics and times, after they were counted. */
export function ValuesDelete({ installation_id, zone }: Props) {
  const texts = useTexts()
  const { values: t } = texts
  const [typed, setTyped] = useState(nothing)
  const stretch = stretchOf(typed, zone)
  const count = useMutation({ mutationFn: (one: Stretch) => countOf(installation_id, one) })
  const remove = useMutation({
    mutationFn: (one: Required<Stretch>) => deleted(installation_id, one),
    onSuccess: () => {
      count.reset()
      setTyped(nothing)
      // Lists, plots and latest values have changed.
      return queryClient.invalidateQueries()
    }
  })
  const fault = count.error ?? remove.error
  const stay = () => {
    count.reset()
    remove.reset()
  }
  return (
    <Part title={t.delete} help={t.deleteHelp}>
      <StretchFields {...{ installation_id, zone, typed }} set={setTyped} isRequired />
      {fault && <Fault text={refusal(fault, 'log/delete', texts)} />}
      {remove.isSuccess && <Text role="status">{t.deleted(remove.data)}</Text>}
      <Button
        variant="default"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        loading={count.isPending}
        disabled={!isWhole(stretch)}
        onClick={() => {
          remove.reset()
          if (stretch) count.mutate(stretch)
        }}
        style={{ alignSelf: 'flex-start' }}
      >
        {t.count}
      </Button>
      <Modal
        opened={count.isSuccess}
        onClose={stay}
        title={t.question(count.data ?? 0)}
        closeButtonProps={{ 'aria-label': t.keep }}
        centered
      >
        {isWhole(stretch) && (
          <Stack>
            <Text>
              {t.between(
                wallText(zone, stretch.from * 1000).replace('T', ' '),
                wallText(zone, stretch.to * 1000).replace('T', ' ')
              )}
            </Text>
            {stretch.topics.map((topic) => (
              <Text key={topic} className="topic" style={{ overflowWrap: 'anywhere' }}>
                {topic}
              </Text>
            ))}
            <Text>{t.forGood}</Text>
            <Group justify="flex-end">
              <Button variant="default" onClick={stay} data-autofocus>
                {t.keep}
              </Button>
              <Button
                color="red"
                disabled={count.data === 0}
                loading={remove.isPending}
                onClick={() => remove.mutate(stretch)}
              >
                {t.go(count.data ?? 0)}
              </Button>
            </Group>
          </Stack>
        )}
      </Modal>
    </Part>
  )
}
