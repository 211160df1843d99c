import { pino } from 'pino'
import { createProgram } from '../../src/cli/commands.ts'

export type Ran = { code: number; out: string; err: string }

/** Runs a command for operators in this process. */
export async function command(
  env: Record<string, string>,
  ...args: readonly string[]
): Promise<Ran> {
  const printed = { out: '', err: '' }
  const to = (name: keyof typeof printed) => ({
    write: (text: string) => {
      printed[name] += text
    }
  })
  const code = await createProgram({
    env,
    stdin: process.stdin,
    out: to('out'),
    err: to('err'),
    openLog: async () => pino({ level: 'silent' })
  }).run(args)
  return { code, ...printed }
}
