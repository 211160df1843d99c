import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clientIdOfGateway, mqttClientIdOf } from '../../src/identity/gateway.ts'

test('clientIdOfGateway', () => {
  const f = (text: string, want: number | undefined) =>
    assert.equal(clientIdOfGateway(text), want, text)
  f('edge-1003', 1003)
  f('edge-1', 1)
  f(mqttClientIdOf(Number.MAX_SAFE_INTEGER), Number.MAX_SAFE_INTEGER)
  f('edge-9007199254740992', undefined)
  f('edge-', undefined)
  f('edge-0', undefined)
  f('edge-01', undefined)
  f('edge-1/x', undefined)
  f('edge-1 ', undefined)
  f('edge-app-share-1', undefined)
  f('Edge-1', undefined)
  f('xedge-1', undefined)
  f('abcde1', undefined)
  f('1003', undefined)
  f('', undefined)
})
