/** Where an operator looks: a terminal, or a file with lines. */
export type Output = { write(text: string): unknown; isTTY?: boolean }

const BAR_CHARACTERS = 32

/**
 * On a terminal a bar that fills up; elsewhere a line for every tenth. Takes the finished part, 0
 * to 1.
 */
export function showProgress(label: string, out: Output): (done: number) => void {
  let tenths = 0
  let shown = ''
  let isDone = false
  return (done) => {
    if (isDone) return
    isDone = done >= 1
    if (out.isTTY) {
      const bar = '█'.repeat(Math.round(done * BAR_CHARACTERS)).padEnd(BAR_CHARACTERS, '░')
      const text = `\r  ${label}  ${bar} ${Math.floor(done * 100)} %${isDone ? '\n' : ''}`
      if (text !== shown) out.write(text)
      shown = text
    } else if (Math.floor(done * 10) > tenths) {
      tenths = Math.floor(done * 10)
      out.write(`  ${label}  ${tenths * 10} %\n`)
    }
  }
}
