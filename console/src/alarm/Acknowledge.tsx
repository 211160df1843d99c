import { Button, Group, Stack, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { Fault, refusal } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Alarm, acknowledge } from './api.ts'

/** As the API takes it. */
export const MAX_NOTE = 4096
/** On glass the keyboard would hide the button. */
const hasMouse = () => matchMedia('(pointer: fine)').matches

type Props = {
  alarm: Alarm
  title: string
  /** While the form is open the line stays, also if the list would leave it out. */
  hold: () => void
  done: (alarm: Alarm) => void
}

/** A tap opens the note, another one acknowledges. */
export function Acknowledge({ alarm, title, hold, done }: Props) {
  const texts = useTexts()
  const t = texts.alarm
  const [isOpen, setOpen] = useState(false)
  const [note, setNote] = useState('')
  const [input, go, opener] = [
    useRef<HTMLInputElement>(null),
    useRef<HTMLButtonElement>(null),
    useRef<HTMLButtonElement>(null)
  ]
  const save = useMutation({
    mutationFn: () => acknowledge(alarm, note.trim()),
    onSuccess: (row) => {
      setOpen(false)
      done(row)
    }
  })
  useEffect(() => {
    if (isOpen) (hasMouse() ? input : go).current?.focus()
  }, [isOpen, input, go])
  const isNew = alarm.acknowledged_at === null
  const close = () => {
    setOpen(false)
    save.reset()
    requestAnimationFrame(() => opener.current?.focus())
  }
  if (!isOpen) {
    if (alarm.state === 'cleared') return null
    return (
      <Button
        ref={opener}
        className="alarm-go"
        size={isNew ? 'sm' : 'compact-sm'}
        variant={isNew ? 'filled' : 'subtle'}
        aria-label={isNew ? t.acknowledgeNamed(title) : t.changeNoteNamed(title)}
        onClick={() => {
          setNote(alarm.note)
          hold()
          setOpen(true)
        }}
      >
        {isNew ? t.acknowledge : t.changeNote}
      </Button>
    )
  }
  return (
    <form
      className="alarm-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (!save.isPending) save.mutate()
      }}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <Stack gap="xs">
        <TextInput
          ref={input}
          label={t.note}
          maxLength={MAX_NOTE}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        {save.error && <Fault text={refusal(save.error, 'alarm/acknowledge', texts)} />}
        <Group gap="xs" className="alarm-buttons">
          <Button ref={go} type="submit" loading={save.isPending}>
            {isNew ? t.acknowledge : t.saveNote}
          </Button>
          <Button variant="default" onClick={close}>
            {t.cancel}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
