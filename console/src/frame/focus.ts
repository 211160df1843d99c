/** A dialog lets the focus go a moment after it has closed. */
const AFTER_DIALOG_MS = 20

/** Remembers what has the focus. Returns how to give it back. */
export function keepFocus(): () => void {
  const before = document.activeElement
  return () => {
    if (!(before instanceof HTMLElement)) return
    setTimeout(() => before.focus({ preventScroll: true }), AFTER_DIALOG_MS)
  }
}
