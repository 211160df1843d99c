import assert from 'node:assert/strict'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { test } from 'node:test'
import { addressesOf, hostsOf } from '../../src/outbound/addresses.ts'

test('addresses of names come from the hosts file', () => {
  const hosts = [
    '# 192.0.2.9 commented.example',
    '127.0.0.1\tlocalhost  here # there',
    '::1 localhost',
    '172.17.0.1 Host.Docker.Internal',
    'nonsense localhost',
    ''
  ].join('\n')
  const f = (name: string) => hostsOf(hosts, name).map(({ address, family }) => [address, family])
  assert.deepEqual(f('localhost'), [
    ['127.0.0.1', 4],
    ['::1', 6]
  ])
  assert.deepEqual(f('here.'), [['127.0.0.1', 4]])
  assert.deepEqual(f('host.docker.internal'), [['172.17.0.1', 4]])
  for (const name of ['there', 'commented.example', 'local', '127.0.0.1', '']) {
    assert.deepEqual(f(name), [], name)
  }
})

const A = 1
const AAAA = 28

/** A name server that knows these addresses, by type, and no others. */
async function startNameServer(known: ReadonlyMap<number, readonly number[]>) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1')
  await once(socket, 'listening')
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5
    const data = known.get(query.readUInt16BE(end - 4))
    const header = Buffer.from(query.subarray(0, 12))
    header.writeUInt16BE(0x8180, 2)
    header.writeUInt16BE(data ? 1 : 0, 6)
    header.writeUInt32BE(0, 8)
    const type = query.subarray(end - 4, end)
    const record = data
      ? [Buffer.of(0xc0, 12), type, Buffer.of(0, 0, 0, 9, 0, data.length, ...data)]
      : []
    socket.send(Buffer.concat([header, query.subarray(12, end), ...record]), port, address)
  })
  return { servers: [`127.0.0.1:${socket.address().port}`], stop: () => socket.close() }
}

test('DNS gives the addresses of both kinds, or none', async (t) => {
  const { signal } = new AbortController()
  const ipv4 = [A, [10, 1, 2, 3]] as const
  const ipv6 = [AAAA, [0xfd, ...Array(14).fill(0), 1]] as const
  const f = async (known: readonly (readonly [number, readonly number[]])[], name: string) => {
    const { servers, stop } = await startNameServer(new Map(known))
    t.after(stop)
    return (await addressesOf(name, signal, servers)).map(({ address, family }) => [
      address,
      family
    ])
  }
  assert.deepEqual(await f([ipv4, ipv6], 'push.internal'), [
    ['10.1.2.3', 4],
    ['fd00::1', 6]
  ])
  assert.deepEqual(await f([ipv4], 'push.internal'), [['10.1.2.3', 4]])
  assert.deepEqual(await f([ipv6], 'push'), [['fd00::1', 6]])
  await assert.rejects(f([], 'push.internal'), { code: 'ENODATA' })
})
