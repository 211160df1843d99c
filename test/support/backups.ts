import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Backup } from '../../src/backup/make.ts'
import { command } from './command.ts'
import { type Program, startProgram } from './program.ts'

export type Env = Record<string, string>

export const admin = {
  CARACAL_ADMIN_EMAIL: 'boss@example.org',
  CARACAL_ADMIN_PASSWORD: 'correct horse battery'
}

/** A platform that ends with the test, also when the test fails. */
export async function startFor(t: TestContext, env: Env): Promise<Program> {
  const program = await startProgram(env)
  let ended: Promise<number | null> | undefined
  const stop = () => {
    ended ??= program.stop()
    return ended
  }
  t.after(stop)
  return { ...program, stop }
}

export async function makeBackup(env: Env, directory: string, ...options: string[]) {
  const { code, out, err } = await command(env, 'backup', directory, ...options, '--json')
  assert.equal(code, 0, out + err)
  return JSON.parse(out) as Backup & { elsewhere: { part: string }[] }
}

/** How many values of an installation the platform has. */
export async function countOf({ url }: Program, { token, id }: { token: string; id: number }) {
  const answer = await fetch(`${url}/api/v3beta/log/${id}?from=0&limit=1`, {
    headers: { 'x-api-key': token }
  })
  return ((await answer.json()) as { total: number }).total
}
