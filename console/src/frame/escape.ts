import { useEffect } from 'react'

/** Esc closes the panel, but not together with a question or a list above it. */
export function useEscape(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key !== 'Escape' || !(target instanceof Element)) return
      const isBelow = document.querySelector('.mantine-Modal-content') !== null
      const hasOpenList = target.getAttribute('aria-expanded') === 'true'
      // Later, or a question that opens now would take the same key for its own.
      if (!isBelow && !hasOpenList) setTimeout(close)
    }
    addEventListener('keydown', onKey, { capture: true })
    return () => removeEventListener('keydown', onKey, { capture: true })
  })
}
