import { Button, CopyButton, Group } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.ts'

type Props = {
  label: string
  text: string
  isWrapped?: boolean
  /** Other buttons. */
  children?: ReactNode
}

/** A text to paste elsewhere, with a button that copies it. */
export function Paste({ label, text, isWrapped, children }: Props) {
  const { connect: t } = useTexts()
  return (
    <div>
      {/* The keyboard scrolls it, so it takes the focus. */}
      <section
        className={isWrapped ? 'paste wrap' : 'paste'}
        aria-label={label}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a text that is wider than its box
        tabIndex={0}
      >
        {text}
      </section>
      <Group justify="flex-end" mt={6} gap="xs">
        {children}
        <CopyButton value={text}>
          {({ copied, copy }) => (
            <Button
              size="xs"
              variant="default"
              onClick={copy}
              leftSection={
                copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />
              }
            >
              {copied ? t.copied : t.copy}
            </Button>
          )}
        </CopyButton>
      </Group>
    </div>
  )
}
