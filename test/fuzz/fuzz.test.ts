import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { text } from 'node:stream/consumers'
import { describe, test } from 'node:test'
import { hasMosquitto } from '../support/mosquitto.ts'
import { hasPostgres, postgres, type RegistryEngine, sqlite } from '../support/registries.ts'
import { rounds } from '../support/rounds.ts'
import type { Order, Report } from './campaign-process.ts'

/**
 * Every operation of the API description gets valid and broken requests, as an administrator, as a
 * member of a tenant and as nobody. `FUZZ_SEED=123 npm test -- test/fuzz/fuzz.test.ts` repeats a
 * campaign.
 */
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31))
const requests = Number(process.env['FUZZ_REQUESTS'] ?? rounds(100_000, 5000))

/** The part of the requests that may be 429. A refusal tests little. */
const MAX_REFUSED = 0.02

/** Operations that cannot succeed, and why. */
const cannotSucceed: Readonly<Record<string, string>> = {
  registerCertificate: 'the operator has no authority here',
  makeBackup: 'there is no folder for backups here',
  verifyBackup: 'the same',
  ...(hasMosquitto
    ? {
        issueCertificate: 'an external broker does not ask here about certificates',
        revokeCertificate: 'the same',
        getCertificateAuthority: 'the same'
      }
    : {
        emqxSignIn: 'only an external broker has the key, and mosquitto is not installed',
        emqxAuthorize: 'the same',
        mosquittoSignIn: 'the same',
        mosquittoAuthorize: 'the same'
      })
}

// Each half has a process and a platform, so that both use a processor.
const other = hasPostgres || process.env['CI'] ? postgres : sqlite
const halves = [
  { engine: sqlite, seed },
  { engine: other, seed: seed + 1 }
].map((half) => ({ ...half, report: run(half) }))

for (const { engine, report, seed } of halves) {
  describe(`the requests of seed ${seed} on ${engine.name}`, () => {
    test('no answer is an error of ours, hangs, says too much or differs from its description', async () => {
      const { findings, classes, seconds } = await report
      console.log(`FUZZ_SEED=${seed} on ${engine.name}, ${seconds} s:`, classes)
      const shown = findings.map(
        ({ fault, times, example }) => `${fault} (${times} times)\n  ${example}`
      )
      assert.equal(shown.join('\n'), '')
    })

    test('every operation has answered 2xx', async () => {
      const { unsuccessful } = await report
      for (const id of Object.keys(cannotSucceed)) delete unsuccessful[id]
      assert.deepEqual(unsuccessful, {})
    })

    test('few requests are refused because there are too many', async () => {
      const { classes } = await report
      assert((classes['429'] ?? 0) < MAX_REFUSED * requests, JSON.stringify(classes))
    })

    test('nothing of the other tenant has changed', async () => {
      const { before, after } = await report
      assert.deepEqual(after, before)
    })

    test('the platform is healthy, and its log has no errors', async () => {
      const { health, errors } = await report
      assert.equal(health, 200)
      assert.deepEqual(errors.slice(0, 5), [])
    })
  })
}

/** The hooks of the test runner would make the platform slower, so it runs in another process. */
async function run({ engine, seed }: { engine: RegistryEngine; seed: number }): Promise<Report> {
  const file = new URL('campaign-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const order: Order = { registryUrl: await engine.url(), seed, requests: Math.ceil(requests / 2) }
  child.stdin.end(JSON.stringify(order))
  const output = await text(child.stdout)
  assert(output, 'the campaign ended without a report')
  return JSON.parse(output) as Report
}
