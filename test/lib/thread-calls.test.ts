import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { ThreadCalls } from '../../src/lib/thread-calls.ts'

type Target = {
  add(a: number, b: number): number
  fail(): void
  refuse(): void
  abort(): void
  /** Resolves when it is aborted. */
  last(signal: AbortSignal): Promise<string>
  aborted(): number
  end(): void
  close(): void
}

function startThread(): ThreadCalls<Target> {
  const source = `
    import { parentPort } from 'node:worker_threads'
    import { answerCalls } from '${new URL('../../src/lib/thread-calls.ts', import.meta.url)}'
    let aborted = 0
    answerCalls(parentPort, {
      add: (a, b) => a + b,
      fail() { throw new Error('the file is damaged') },
      refuse() { throw Object.assign(new Error('refused'), { code: 'ECONNREFUSED' }) },
      abort() { AbortSignal.abort().throwIfAborted() },
      last: (signal) => new Promise((resolve) =>
        signal.addEventListener('abort', () => { aborted++; resolve('ended') })),
      aborted: () => aborted,
      end: () => process.exit(1),
      close() {}
    })`
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(source)}`))
  const explain = (error: Error) =>
    /damaged/.test(error.message) ? new Error('restore the backup') : error
  return new ThreadCalls<Target>(worker, { name: 'test', explain })
}

test('calls run side by side, and each gets its own answer', async () => {
  const thread = startThread()
  const waiting = thread.call('last', [])
  assert.deepEqual(
    await Promise.all([thread.call('add', [1, 2]), thread.call('add', [3, 4])]),
    [3, 7]
  )
  await thread.close()
  // Closing aborts what is under way.
  assert.equal(await waiting, 'ended')
})

test('a caller who gives up is answered at once, and the thread hears of it', async () => {
  const thread = startThread()
  const giveUp = new AbortController()
  const waiting = thread.call('last', [], { signal: giveUp.signal })
  await thread.ready()
  giveUp.abort(new Error('hung up'))
  await assert.rejects(waiting, /hung up/)
  assert.equal(await thread.call('aborted', []), 1)
  await assert.rejects(thread.call('add', [1, 2], { signal: giveUp.signal }), /hung up/)
  await thread.close()
})

test('an error is explained, and damage is remembered', async () => {
  const thread = startThread()
  assert.equal(thread.failure, undefined)
  await assert.rejects(thread.call('fail', []), /restore the backup/)
  assert.match(String(thread.failure), /restore the backup/)
  assert.equal(await thread.call('add', [1, 2]), 3)
  await thread.close()
})

test('an error keeps its code', async () => {
  const thread = startThread()
  await assert.rejects(thread.call('refuse', []), { message: 'refused', code: 'ECONNREFUSED' })
  await thread.close()
})

test('an error whose code cannot be set arrives as it is', async () => {
  const thread = startThread()
  await assert.rejects(thread.call('abort', []), { name: 'AbortError' })
  await thread.close()
})

test('a thread that ends rejects every call, and closing it twice is no fault', async () => {
  const thread = startThread()
  await assert.rejects(thread.call('end', []), /the test thread has ended/)
  await assert.rejects(thread.call('add', [1, 2]), /the test thread has ended/)
  await thread.close()
  const closed = startThread()
  await closed.close()
  await closed.close()
  await assert.rejects(closed.call('add', [1, 2]), /the test is closed/)
})
