import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useBlocker } from '@tanstack/react-router'
import { useRef } from 'react'
import { useTexts } from '../texts/texts.ts'
import { keepFocus } from './focus.ts'

type Props = {
  hasDraft: () => boolean
  dropDraft: () => void
  /** What of the address decides which draft is open. */
  keys: readonly string[]
}
type Place = { pathname: string; search: object }

/** Asks before what is typed and not saved is left. */
export function Leaving({ hasDraft, dropDraft, keys }: Props) {
  const { functions: t } = useTexts()
  const focusBack = useRef(() => {})
  const openIn = ({ pathname, search }: Place): string => {
    const parts = Object.entries(search).filter(([name]) => keys.includes(name))
    return `${pathname}?${new URLSearchParams(parts)}`
  }
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => {
      const isLeft = hasDraft() && openIn(current) !== openIn(next)
      if (isLeft) focusBack.current = keepFocus()
      return isLeft
    },
    enableBeforeUnload: hasDraft,
    withResolver: true
  })
  if (status !== 'blocked') return null
  const stay = () => {
    reset?.()
    focusBack.current()
  }
  return (
    <Modal opened onClose={stay} title={t.unsaved} zIndex={500} centered>
      <Stack>
        <Text>{t.unsavedHelp}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            {t.stay}
          </Button>
          <Button
            color="red"
            onClick={() => {
              dropDraft()
              proceed?.()
            }}
          >
            {t.leave}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
