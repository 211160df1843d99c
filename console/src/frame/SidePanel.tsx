import { Drawer } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../texts/texts.ts'
import { useEscape } from './escape.ts'

type Props = {
  isOpen: boolean
  close: () => void
  size: number
  title: string
  children: ReactNode
}

/** The details beside a list. */
export function SidePanel({ isOpen, close, size, title, children }: Props) {
  const { functions: t } = useTexts()
  useEscape(isOpen, close)
  return (
    <Drawer
      opened={isOpen}
      onClose={close}
      closeOnEscape={false}
      position="right"
      size={size}
      title={title}
      closeButtonProps={{ 'aria-label': t.close }}
      classNames={{ title: 'drawer-title', body: 'drawer-body' }}
    >
      {children}
    </Drawer>
  )
}
