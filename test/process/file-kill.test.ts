import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { createInstallation, startCaracal, temporaryDirectory } from '../support/process.ts'
import { rounds } from '../support/rounds.ts'

/** All rounds with CI=true. */
const ROUNDS = rounds(5, 1)

test(`files that were acknowledged are complete after ${ROUNDS} times kill -9`, async () => {
  const env = {
    CARACAL_DATA_DIR: temporaryDirectory(),
    CARACAL_ADMIN_EMAIL: 'boss@example.org',
    CARACAL_ADMIN_PASSWORD: 'correct horse battery'
  }
  let caracal = await startCaracal(env)
  const { token, id } = await createInstallation(caracal, 'x')
  const headers = { 'x-api-key': token }
  const path = `/api/v2/file/installation/${id}`
  const acknowledged = new Set<string>()

  const uploadUntilKilled = async () => {
    for (;;) {
      const bytes = randomBytes(1 + Math.floor(Math.random() * 300_000))
      const form = new FormData()
      form.append('file', new Blob([bytes]), 'x')
      const [file] = await fetch(caracal.url + path, { method: 'POST', headers, body: form })
        .then((answer) => answer.json() as Promise<{ hash: string }[]>)
        .catch(() => [])
      if (!file) return
      assert.equal(file.hash, createHash('sha256').update(bytes).digest('hex'))
      acknowledged.add(file.hash)
    }
  }

  for (let round = 0; round < ROUNDS; round++) {
    const uploads = Promise.all([uploadUntilKilled(), uploadUntilKilled(), uploadUntilKilled()])
    const before = acknowledged.size
    await wait(500 + Math.random() * 500)
    await eventually(() => assert(acknowledged.size > before), 60_000)
    await caracal.kill('SIGKILL')
    await uploads
    caracal = await startCaracal(env)
    const list = (await (await fetch(caracal.url + path, { headers })).json()) as { hash: string }[]
    const listed = new Set(list.map(({ hash }) => hash))
    assert.deepEqual(
      [...acknowledged].filter((hash) => !listed.has(hash)),
      []
    )
    // Not acknowledged, but listed, so it must be complete.
    for (const hash of listed) {
      const answer = await fetch(`${caracal.url}/api/v2/file/download/${hash}`, { headers })
      const bytes = Buffer.from(await answer.arrayBuffer())
      assert.equal(createHash('sha256').update(bytes).digest('hex'), hash)
    }
  }
  assert.equal(await caracal.kill('SIGTERM'), 0)
})
