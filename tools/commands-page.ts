import { createProgram } from '../src/cli/commands.ts'
import { leavesOf, nameOf } from '../src/cli/frame.ts'

/** The help of every command, as the program prints it. */
export function commandsText(): string {
  const { root } = createProgram({
    env: {},
    stdin: process.stdin,
    out: process.stdout,
    err: process.stderr,
    openLog: () => Promise.reject(new Error('no command runs here'))
  })
  return leavesOf(root)
    .map(
      (command) => `### ${nameOf(command)}\n\n\`\`\`\n${command.helpInformation().trim()}\n\`\`\``
    )
    .join('\n\n')
}
