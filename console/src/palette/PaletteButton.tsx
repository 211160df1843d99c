import { Kbd, Text, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { keepFocus } from '../frame/focus.ts'
import { useTexts } from '../texts/texts.ts'

const load = () => import('./Palette.tsx')
const Palette = lazy(async () => ({ default: (await load()).Palette }))

const LOAD_AFTER_MS = 1000
const isMac = /mac|iphone|ipad/i.test(navigator.userAgent)

/** The way into the palette: a button, Ctrl-K (on a Mac: ⌘K), and `/`. */
export function PaletteButton({ isOff }: { isOff: boolean }) {
  const { palette: t } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const [typed, setTyped] = useState('')
  const focusBack = useRef(() => {})
  const open = () => {
    focusBack.current = keepFocus()
    setTyped('')
    setOpen(true)
  }
  const close = () => {
    setOpen(false)
    focusBack.current()
  }
  useEffect(() => {
    // It is there when the first key is typed.
    const timer = setTimeout(() => void load(), LOAD_AFTER_MS)
    return () => clearTimeout(timer)
  }, [])
  useEffect(() => {
    if (isOff) return
    const onKey = (event: KeyboardEvent) => {
      const isCtrlK = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k'
      const isSlash = event.key === '/' && !event.ctrlKey && !event.metaKey
      if (isSlash && (isOpen || isTyping(event))) return
      if (!isCtrlK && !isSlash) return
      event.preventDefault()
      if (isOpen) close()
      else open()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return (
    <>
      <UnstyledButton
        className="finder"
        aria-keyshortcuts="Control+K"
        aria-haspopup="dialog"
        onClick={open}
      >
        <IconSearch size={16} aria-hidden />
        <Text className="muted" truncate>
          {t.placeholder}
        </Text>
        <Kbd ml="auto" visibleFrom="sm" aria-hidden>
          {isMac ? '⌘ K' : 'Ctrl K'}
        </Kbd>
      </UnstyledButton>
      {isOpen && !isOff && (
        <Suspense fallback={<Typing onType={(letter) => setTyped((was) => was + letter)} />}>
          <Palette typed={typed} close={close} />
        </Suspense>
      )}
    </>
  )
}

/** Keeps what is typed while the palette is loading. */
function Typing({ onType }: { onType: (letter: string) => void }) {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.length > 1 || event.ctrlKey || event.metaKey) return
      event.preventDefault()
      onType(event.key)
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  })
  return null
}

function isTyping({ target }: KeyboardEvent): boolean {
  const element = target instanceof HTMLElement ? target : undefined
  return (
    element?.isContentEditable === true ||
    ['INPUT', 'TEXTAREA', 'SELECT'].includes(element?.tagName ?? '')
  )
}
