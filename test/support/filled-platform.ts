import assert from 'node:assert/strict'
import { createInstallation } from './process.ts'

/** A batch of this size is packed at once. */
export const PACKED_VALUES = 25_000

/** Gives a platform packed values, 100 more as rows, and an uploaded file. */
export async function fillPlatform(caracal: { url: string }) {
  const site = await createInstallation(caracal, 'Cabin')
  const { token, id, client_id } = site
  const headers = { 'x-api-key': token }
  const send = async (values: number) => {
    const topic = `${client_id}/obj/t${values}`
    const lines = Array.from({ length: values }, (_, i) =>
      JSON.stringify({ topic, timestamp: 1_700_000_000 + i, value: i })
    )
    const answer = await fetch(`${caracal.url}/api/v3beta/log/${id}/import`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-ndjson' },
      body: lines.join('\n')
    })
    assert.equal(answer.status, 200, await answer.text())
  }
  await send(PACKED_VALUES)
  await send(100)
  const form = new FormData()
  form.set('file', new Blob(['a manual']), 'manual.txt')
  const uploaded = await fetch(`${caracal.url}/api/v2/file/installation/${id}`, {
    ...{ method: 'POST', headers, body: form }
  })
  assert.equal(uploaded.status, 200, await uploaded.text())
  return site
}
