import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { openHistory } from '../../src/history/open.ts'
import { PageTooLarge } from '../../src/lib/page-limit.ts'
import { unixMs } from '../../src/lib/unix-time.ts'
import { longestRound } from '../support/loop.ts'
import { rowsText } from '../support/samples.ts'

const row = (id: number, msg: string, value = '1') =>
  `{"id":${id},"client_id":7,"installation_id":1,"timestamp":${id},"value":${value},"msg":${JSON.stringify(msg)},"topic":"7/obj/a"}`

/** History on a server that answers a page with these rows, and everything else with nothing. */
async function historyOf(t: TestContext, rows: readonly string[]) {
  const server = createServer(async (request, response) => {
    const sql = await text(request)
    if (/LIMIT \{limit/.test(sql)) {
      for (const one of rows) {
        if (!response.write(`${one}\n`)) await once(response, 'drain').catch(() => {})
        if (response.destroyed) return
      }
    } else if (/AS total/.test(sql)) response.write('{"total":0}\n')
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const history = await openHistory({ url: `http://127.0.0.1:${port}/db`, dataDir: '' })
  t.after(async () => {
    await history.close()
    server.closeAllConnections()
    server.close()
  })
  return history
}

const query = {
  ...{ installation_id: 1, topics: undefined, from: unixMs(0), to: unixMs(1e12) },
  ...{ order: 'asc' as const, limit: 10_000, offset: 0 }
}

test('the rows of a server become a page', async (t) => {
  const rows = [row(1, 'å\n"value":1e5'), row(2, '', '1e-7'), row(3, '{"id":5,')]
  const history = await historyOf(t, rows)
  const page = await history.readPage({ ...query, withIds: true })
  assert.deepEqual([page.count, page.total, page.oldest], [3, 3, 1000])
  const expected = rows.join().replace('1e-7', '0.0000001')
  assert.equal(rowsText(page), expected)
  const without = await history.readPage(query)
  assert.equal(rowsText(without), expected.replaceAll(/\{"id":\d,"cl/g, '{"cl'))
  assert.deepEqual((await (await historyOf(t, [])).readPage(query)).rows, [])
})

test('the size of the answer is limited, not the size that the server counts', async (t) => {
  // Each of these characters is six in JSON: 30 MB of messages are 180 MB of text.
  const large = row(1, '\u0001'.repeat(60_000))
  const history = await historyOf(t, Array(500).fill(large))
  await assert.rejects(history.readPage(query), PageTooLarge)
})

test('a long page from a server does not block others', async (t) => {
  const large = row(1, 'x'.repeat(60_000))
  const history = await historyOf(t, Array(500).fill(large))
  const longest = await longestRound(20, async () => {
    assert.equal((await history.readPage(query)).count, 500)
  })
  t.diagnostic(`${longest.toFixed(1)} ms`)
  assert(longest < 20, `${longest} ms`)
})
