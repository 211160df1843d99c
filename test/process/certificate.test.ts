import assert from 'node:assert/strict'
import { test } from 'node:test'
import { signInOver, trustedTls } from '../support/certified.ts'
import { createInstallation, startCaracal, temporaryDirectory } from '../support/process.ts'

test('a revoked certificate stays revoked after kill -9, and a good one stays good', async () => {
  const { caPath: _, ...tls } = trustedTls()
  const env = {
    CARACAL_DATA_DIR: temporaryDirectory(),
    CARACAL_ADMIN_EMAIL: 'boss@example.org',
    CARACAL_ADMIN_PASSWORD: 'correct horse battery',
    ...tls
  }
  const authorization = `Basic ${btoa('boss@example.org:correct horse battery')}`
  const first = await startCaracal(env)
  const portOf = (printed: string) => Number(/mqtts:\/\/\S+:(\d+)/.exec(printed)?.[1])
  const post = async (path: string, body?: object) => {
    const response = await fetch(`${first.url}/api/v2/${path}`, {
      method: 'POST',
      headers: { authorization, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) })
    })
    const text = await response.text()
    assert.equal(response.status, 200, text)
    return JSON.parse(text)
  }
  const { id } = await createInstallation(first, 'Home')
  const issue = async (name: string) => {
    const {
      certificate: cert,
      private_key: key,
      id: number
    } = await post(`certificate/${id}`, { name })
    return { number, pair: { cert, key } }
  }
  const [good, bad] = [await issue('good'), await issue('bad')]
  const mqtts = (printed: string) => `mqtts://127.0.0.1:${portOf(printed)}`
  const open = await signInOver(mqtts(first.printed()), bad.pair)
  assert.equal(open.code, 0)
  open.client.on('close', () => {})
  await post(`certificate/${id}/${bad.number}/revoke`)
  await first.kill('SIGKILL')
  open.client.end(true)

  const second = await startCaracal(env)
  const refused = await signInOver(mqtts(second.printed()), bad.pair)
  assert.deepEqual([refused.code, refused.text], [0x87, 'the certificate is revoked'])
  const welcome = await signInOver(mqtts(second.printed()), good.pair)
  assert.equal(welcome.code, 0)
  welcome.client.end(true)
  await second.kill('SIGTERM')
})
