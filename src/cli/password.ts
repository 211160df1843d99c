import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { randomPassword } from '../identity/password.ts'
import { type Terminal, UsageError } from './frame.ts'

export type PasswordOptions = { stdin?: boolean; generate?: boolean }

const MAX_INPUT_BYTES = 4096

/** A password is never an argument: other users of the machine can read those. */
export async function readPassword(
  { stdin, err }: Terminal,
  { stdin: fromStdin, generate }: PasswordOptions
): Promise<{ password: string; isGenerated: boolean }> {
  if (fromStdin && generate) throw new UsageError('--stdin and --generate exclude each other')
  if (generate) return { password: randomPassword(), isGenerated: true }
  if (fromStdin) return { password: await firstLine(stdin), isGenerated: false }
  if (!stdin.isTTY) {
    throw new UsageError('there is no terminal to ask for the password: use --stdin or --generate')
  }
  const password = await askHidden('New password: ', stdin, err)
  if ((await askHidden('Once more: ', stdin, err)) !== password) {
    throw new Error('the two passwords differ; nothing was changed')
  }
  return { password, isGenerated: false }
}

async function firstLine(stdin: NodeJS.ReadStream): Promise<string> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stdin) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    size += bytes.length
    if (bytes.includes('\n')) break
    if (size > MAX_INPUT_BYTES) throw new UsageError('the password on standard input is too long')
  }
  const [line = ''] = Buffer.concat(chunks).toString('utf8').split(/\r?\n/)
  if (line === '') throw new UsageError('there is no password on standard input')
  return line
}

/** Shows the question, but not what is typed. */
async function askHidden(
  question: string,
  input: NodeJS.ReadStream,
  err: Terminal['err']
): Promise<string> {
  const output = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input, output, terminal: true })
  err.write(question)
  const stopped = new AbortController()
  lines.once('SIGINT', () => stopped.abort())
  lines.once('close', () => stopped.abort())
  try {
    return await lines.question('', { signal: stopped.signal })
  } catch {
    throw new Error('no password was given; nothing was changed')
  } finally {
    lines.close()
    err.write('\n')
  }
}
