/** Where an operator looks: a terminal, or a file of lines. */
export type Output = { write(text: string): unknown; isTTY?: boolean }

const WIDTH = 32

/** A bar that fills up on a terminal; elsewhere a line at every tenth. Takes the part done, 0 to 1. */
export function showProgress(label: string, out: Output): (done: number) => void {
  let tenths = 0
  let isDone = false
  return (done) => {
    if (isDone) return
    isDone = done >= 1
    if (out.isTTY) {
      const bar = '█'.repeat(Math.round(done * WIDTH)).padEnd(WIDTH, '░')
      out.write(`\r  ${label}  ${bar} ${Math.floor(done * 100)} %${isDone ? '\n' : ''}`)
    } else if (Math.floor(done * 10) > tenths) {
      tenths = Math.floor(done * 10)
      out.write(`  ${label}  ${tenths * 10} %\n`)
    }
  }
}
