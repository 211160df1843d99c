import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from './eventually.ts'

export type Letter = {
  kind: string
  to: string
  subject?: string
  text: string
  key?: string
  code?: string
}

/** The messages that this platform sent to somebody, oldest first. */
export function lettersTo({ dataDir }: { dataDir: string }, to: string): Letter[] {
  const outbox = join(dataDir, 'outbox')
  return readdirSync(outbox)
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => JSON.parse(readFileSync(join(outbox, file), 'utf8')))
    .filter((letter) => letter.to === to)
}

/** The key in the last of `n` mails. It is on a separate line and in a separate field. */
export const keyFor = (platform: { dataDir: string }, to: string, n = 1): Promise<string> =>
  eventually(() => {
    const sent = lettersTo(platform, to)
    assert.equal(sent.length, n, to)
    const { text = '', key } = sent.at(-1) ?? {}
    const line = text.split('\n').find((line) => /^[\w-]{43}$/.test(line))
    assert.equal(line, key)
    return key ?? assert.fail('no key')
  })
