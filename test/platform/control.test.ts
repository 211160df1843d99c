import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, test } from 'node:test'
import { clearPlace, findPlace } from '../../src/platform/control/place.ts'
import { startTestPlatform, type TestPlatform } from '../support/platform.ts'

describe('the control socket', () => {
  let platform: TestPlatform
  let socketPath: string

  before(async () => {
    platform = await startTestPlatform()
    socketPath = join(platform.dataDir, 'control.sock')
  })
  after(() => platform.stop())

  const open = async (): Promise<Socket> => {
    const socket = connect(socketPath)
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }
  /** What comes back, until the other side closes the connection. */
  const answerTo = async (bytes: string | Buffer): Promise<string> => {
    const socket = await open()
    socket.write(bytes)
    return text(socket).catch(() => '')
  }
  const post = async (path: string, body: string) => {
    const asked = request({ socketPath, path, method: 'POST', agent: false })
    asked.setHeader('content-type', 'application/json')
    asked.on('error', () => {})
    asked.end(body)
    const [response] = await once(asked, 'response')
    return { status: response.statusCode, body: await text(response) }
  }
  const works = async () => assert.equal((await post('/status', '{}')).status, 200)

  test('ends connections that send garbage, and goes on', async () => {
    for (const bytes of ['\0\u0001\u0002\r\n\r\n', 'GET\r\n\r\n', 'x'.repeat(100_000)]) {
      // The answer is lost if the connection ends while the garbage still comes.
      assert.match(await answerTo(bytes), /^(HTTP\/1\.1 4\d\d |$)/)
    }
    await works()
  })

  test('answers wrong bodies with 400 that names the field', async () => {
    const f = async (body: string, message: RegExp, path = '/account/password') => {
      const answer = await post(path, body)
      assert.equal(answer.status, 400, answer.body)
      assert.match(JSON.parse(answer.body).message, message)
    }
    await f('{', /JSON/)
    await f('[]', /body/)
    await f('null', /body/)
    await f('{"email": 7, "password": "x"}', /email/)
    await f('{"email": "a@b"}', /password/)
    await f('{"__proto__": {"a": 1}}', /.+/)
    await f('{"search": "", "after": 0, "limit": 1001}', /limit/, '/account/list')
    await f('{"email": "a\\u0000@b", "password": "a good password"}', /.+/)
    await works()
  })

  test('refuses a body that is too large, and unknown questions', async () => {
    const large = JSON.stringify({ email: 'x'.repeat(100_000), password: 'x' })
    assert.equal((await post('/account/password', large)).status, 413)
    assert.equal((await post('/account/none', '{}')).status, 404)
    await works()
  })

  test('closes connections that send nothing or half a request', async () => {
    const began = performance.now()
    const half = 'POST /status HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{'
    await Promise.all([answerTo(''), answerTo('POST /sta'), answerTo(half)])
    assert(performance.now() - began < 20_000)
  })

  test('takes a limited number of connections', async () => {
    const sockets = await Promise.all(Array.from({ length: 60 }, open))
    let closed = 0
    for (const socket of sockets) socket.once('close', () => closed++).resume()
    await new Promise((resolve) => setTimeout(resolve, 500))
    assert(closed >= 28, `${closed} were closed`)
    for (const socket of sockets) socket.destroy()
    await works()
  })

  test('a client that hangs does not delay the stop', async () => {
    const own = await startTestPlatform()
    const path = join(own.dataDir, 'control.sock')
    const socket = connect(path)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write('POST /status HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
    const began = performance.now()
    await own.stop()
    assert(performance.now() - began < 5000)
    assert.equal(findPlace(platform.dataDir), socketPath, 'the other platform has its own')
  })
})

test('a place in a file counts only if nobody else can have made it', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'caracal-'))
  const elsewhere = mkdtempSync(join(tmpdir(), 'caracal-control-'))
  const file = join(dataDir, 'control.path')
  const f = (path: string, want: string | undefined) => {
    writeFileSync(file, `${path}\n`)
    assert.equal(findPlace(dataDir), want, path)
  }
  f(join(elsewhere, 'control.sock'), join(elsewhere, 'control.sock'))
  f(join(elsewhere, 'other.sock'), undefined)
  f('/etc/passwd', undefined)
  f('', undefined)
  f(join(tmpdir(), 'caracal-control-none', 'control.sock'), undefined)
  const link = join(tmpdir(), `caracal-control-link-${process.pid}`)
  symlinkSync(elsewhere, link)
  f(join(link, 'control.sock'), undefined)
  rmSync(link)
  writeFileSync(file, join(elsewhere, 'control.sock'))
  clearPlace(dataDir)
  assert.equal(findPlace(dataDir), undefined)
  assert.throws(() => rmSync(elsewhere), /ENOENT/)
  rmSync(dataDir, { recursive: true })
})
