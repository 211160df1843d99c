const WIDTH = 32

/** A bar that fills up on a terminal; elsewhere a line at every tenth. Takes the part done, 0 to 1. */
export function showProgress(label: string, out: NodeJS.WriteStream): (done: number) => void {
  let tenths = 0
  return (done) => {
    if (out.isTTY) {
      const bar = '█'.repeat(Math.round(done * WIDTH)).padEnd(WIDTH, '░')
      out.write(`\r  ${label}  ${bar} ${Math.floor(done * 100)} %${done >= 1 ? '\n' : ''}`)
    } else if (Math.floor(done * 10) > tenths) {
      tenths = Math.floor(done * 10)
      out.write(`  ${label}  ${tenths * 10} %\n`)
    }
  }
}
