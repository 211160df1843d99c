import assert from 'node:assert/strict'
import type { NetworkInterfaceInfo } from 'node:os'
import { test } from 'node:test'
import { firstAddress, inUrl, isEveryAddress, originOfHost } from '../../src/lib/host.ts'

test('isEveryAddress', () => {
  for (const host of ['0.0.0.0', '::', '0', '0:0:0:0:0:0:0:0', '::0', '::ffff:0.0.0.0', '0x0']) {
    assert.equal(isEveryAddress(host), true, host)
  }
  for (const host of [
    '127.0.0.1',
    '::1',
    'localhost',
    '10.0.0.1',
    'fd00::2',
    'a b',
    'host.local'
  ]) {
    assert.equal(isEveryAddress(host), false, host)
  }
})

test('inUrl', () => {
  assert.equal(inUrl('::1'), '[::1]')
  assert.equal(inUrl('127.0.0.1'), '127.0.0.1')
  assert.equal(inUrl('host.local'), 'host.local')
})

const of = (address: string, internal = false): NetworkInterfaceInfo => ({
  ...{ address, internal, netmask: '', mac: '', cidr: null },
  ...(address.includes(':') ? { family: 'IPv6', scopeid: 0 } : { family: 'IPv4' })
})

test('firstAddress', () => {
  const f = (listening: string, addresses: NetworkInterfaceInfo[], want: string) =>
    assert.equal(firstAddress(listening, { lo: [of('127.0.0.1', true)], eth0: addresses }), want)

  f('0.0.0.0', [of('10.1.2.3'), of('fd00::2')], '10.1.2.3')
  f('0.0.0.0', [of('fd00::2'), of('10.1.2.3'), of('10.9.9.9')], '10.1.2.3')
  f('0.0.0.0', [of('fd00::2')], '127.0.0.1')
  f('::', [of('fd00::2'), of('10.1.2.3')], '10.1.2.3')
  f('::', [of('fe80::1'), of('fd00::2')], 'fd00::2')
  f('::', [of('fe80::1')], '127.0.0.1')
  f('0.0.0.0', [of('169.254.7.7'), of('10.1.2.3')], '10.1.2.3')
  f('0.0.0.0', [], '127.0.0.1')
})

test('originOfHost', () => {
  const f = (host: string, want: string | undefined, scheme: 'http' | 'https' = 'http') =>
    assert.equal(originOfHost(scheme, host), want, host)

  f('example.org', 'http://example.org')
  f('example.org:8443', 'https://example.org:8443', 'https')
  f('example.org:443', 'https://example.org', 'https')
  f('Host_1.local:8080', 'http://host_1.local:8080')
  f('10.0.0.5:8080', 'http://10.0.0.5:8080')
  f('[fd00::2]:8080', 'http://[fd00::2]:8080')
  for (const junk of [
    '',
    '0.0.0.0:8080',
    '0:8080',
    '[::]:8080',
    '[::ffff:0.0.0.0]',
    'example.org:0',
    'example.org:',
    'example.org:65536',
    'user@example.org',
    'user:pass@example.org',
    'example.org/path',
    'example.org?x',
    'example.org#x',
    'example.org, evil.org',
    'ex ample.org',
    'example.org\\x',
    '%65xample.org',
    '"example.org"',
    'ex"ample.org',
    '<b>',
    '[fe80::1%25eth0]',
    '[x]',
    '..',
    `${'x'.repeat(300)}.org`
  ]) {
    f(junk, undefined)
  }
})
