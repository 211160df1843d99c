import { Button, Group, Text, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { Fault, refusal } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { MAX_NOTE } from './Acknowledge.tsx'
import { type Alarm, acknowledge } from './api.ts'

/** Others use the platform as well. */
const AT_ONCE = 4

type Props = {
  chosen: readonly Alarm[]
  /** How many there are to choose. */
  most: number
  chooseAll: () => void
  cancel: () => void
  /** What was acknowledged, also if others were refused. */
  done: (alarms: readonly Alarm[], isAll: boolean) => void
}

/** One note for all that are chosen. */
export function AcknowledgeMany({ chosen, most, chooseAll, cancel, done }: Props) {
  const texts = useTexts()
  const t = texts.alarm
  const [note, setNote] = useState('')
  const save = useMutation({
    mutationFn: () => acknowledgeAll(chosen, note.trim()),
    onSuccess: ({ rows, faults }) => done(rows, faults.length === 0)
  })
  const faults = save.data?.faults ?? []
  const [first] = faults
  return (
    <form
      className="panel alarm-many"
      aria-label={t.chooseSeveral}
      onSubmit={(event) => {
        event.preventDefault()
        if (chosen.length > 0 && !save.isPending) save.mutate()
      }}
      onKeyDown={({ key }) => key === 'Escape' && cancel()}
    >
      <Group gap="xs" justify="space-between">
        <Text role="status" fw={600}>
          {t.chosen(chosen.length)}
        </Text>
        {chosen.length < most && (
          <Button variant="subtle" size="compact-sm" onClick={chooseAll}>
            {t.chooseAll(most)}
          </Button>
        )}
      </Group>
      <TextInput
        aria-label={t.note}
        placeholder={t.note}
        maxLength={MAX_NOTE}
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
      />
      {first && (
        <Fault text={t.refusedMany(faults.length, refusal(first, 'alarm/acknowledge', texts))} />
      )}
      <Group gap="xs" className="alarm-buttons">
        <Button type="submit" loading={save.isPending} disabled={chosen.length === 0}>
          {t.acknowledgeMany(chosen.length)}
        </Button>
        <Button variant="default" onClick={cancel}>
          {t.cancel}
        </Button>
      </Group>
    </form>
  )
}

/** One that is refused does not stop the others. */
async function acknowledgeAll(alarms: readonly Alarm[], note: string) {
  const [rows, faults]: [Alarm[], Error[]] = [[], []]
  for (let start = 0; start < alarms.length; start += AT_ONCE) {
    const some = alarms.slice(start, start + AT_ONCE)
    for (const one of await Promise.allSettled(some.map((alarm) => acknowledge(alarm, note)))) {
      if (one.status === 'fulfilled') rows.push(one.value)
      else faults.push(one.reason)
    }
  }
  return { rows, faults }
}
