import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  homeOf,
  hostOf,
  isPublicAddress,
  isReachable,
  networksFault,
  networksOf
} from '../../src/lib/networks.ts'

test('isPublicAddress', () => {
  const f = (want: boolean, ...addresses: string[]) => {
    for (const address of addresses) assert.equal(isPublicAddress(address), want, address)
  }
  f(true, '1.1.1.1', '8.8.8.8', '100.63.255.255', '100.128.0.0', '172.15.255.255', '172.32.0.0')
  f(true, '192.167.255.255', '192.169.0.0', '198.17.255.255', '198.20.0.0', '223.255.255.255')
  f(true, '2606:4700:4700::1111', '2a00:1450:400f::1', '2001:200::1', '2003::1', '3ffe::1')
  // This machine, this network, private and carrier-grade networks, and reserved addresses.
  f(false, '127.0.0.1', '127.255.255.254', '0.0.0.0', '0.1.2.3')
  f(
    false,
    '10.0.0.1',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '100.64.0.1',
    '100.127.255.255'
  )
  f(
    false,
    '169.254.169.254',
    '169.254.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.9'
  )
  f(false, '198.18.0.1', '198.19.255.255', '192.88.99.1')
  f(false, '224.0.0.1', '239.255.255.255', '240.0.0.1', '255.255.255.255')
  f(false, '::', '::1', 'fe80::1', 'fe80::1%eth0', 'fec0::1', 'fc00::1', 'fd12:3456::1', 'ff02::1')
  // IPv4 addresses in IPv6 form.
  f(
    false,
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::127.0.0.1',
    '::ffff:0:127.0.0.1'
  )
  f(false, '64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1', '2002:7f00:1::', '2001::1')
  f(false, '2001:db8::1', '2001:10::1', '2001:2::1', '3fff::1', '100::1', '5f00::1', '4000::1')
  // These are no addresses, or not in a form that sockets accept.
  f(
    false,
    '',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '1.2.3',
    '1.2.3.4.5',
    '[::1]',
    '8.8.8.8/8'
  )
})

test('networksOf and isReachable', () => {
  const opened = networksOf('127.0.0.0/8,10.1.2.3,fd00::/8')
  const f = (address: string, want: boolean) =>
    assert.equal(isReachable(address, opened), want, address)
  f('127.0.0.1', true)
  f('::ffff:127.0.0.1', true)
  f('10.1.2.3', true)
  f('10.1.2.4', false)
  f('fd12::1', true)
  f('fc00::1', false)
  f('::1', false)
  f('8.8.8.8', true)
  f('nonsense', false)
  f('fd12::1%lo', false)
  f('fe80::1%lo', false)
  assert.equal(isReachable('127.0.0.1', networksOf('')), false)
  assert.equal(networksFault(''), undefined)
  assert.equal(networksFault('127.0.0.1,::1/128'), undefined)
  for (const bad of [
    'x',
    '10.0.0.0/33',
    '10.0.0/8',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '1.2.3.4/-1',
    'fe80::1%lo/64'
  ]) {
    assert.equal(networksFault(`127.0.0.0/8,${bad}`), bad)
  }
})

test('hostOf gives the same result for every spelling of an address', () => {
  const f = (url: string, want: string) => assert.equal(hostOf(new URL(url)), want, url)
  f('http://example.org:80/x', 'example.org')
  f('http://0x7f.1/', '127.0.0.1')
  f('http://2130706433/', '127.0.0.1')
  f('http://0177.0.0.01/', '127.0.0.1')
  f('http://127.1/', '127.0.0.1')
  f('http://①②⑦.0.0.1/', '127.0.0.1')
  f('http://[::ffff:127.0.0.1]/', '::ffff:7f00:1')
  f('http://[0:0::1]:8080/', '::1')
  f('https://[2606:4700::1111]/', '2606:4700::1111')
})

test('homeOf', () => {
  const f = (address: string, want: string) => assert.equal(homeOf(address), want, address)

  f('192.0.2.7', '192.0.2.7')
  f('::ffff:192.0.2.7', '192.0.2.7')
  f('::FFFF:c000:207', '192.0.2.7')
  f('2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64')
  f('2001:DB8:1:2:ffff::1', '2001:db8:1:2::/64')
  f('2001:db8:0:0::9', '2001:db8:0:0::/64')
  f('2001:db8::9', '2001:db8:0:0::/64')
  f('2001:db8:1::2:3:4:5', '2001:db8:1:0::/64')
  f('::1', '0:0:0:0::/64')
  f('fe80::1%eth0', 'fe80:0:0:0::/64')
  // A text that is not an address stays unchanged.
  f('', '')
  f('here', 'here')
})
