import assert from 'node:assert/strict'
import type { World } from './world.ts'

export type MountedKey = {
  id: number
  token: string
  mount: { installation_id: number; prefix: string }
}

/** A key of the account whose topics are below the prefix. */
export async function mountedKey(
  world: World,
  as: { token: string },
  mount: { installation_id: number; prefix?: string },
  more: object = {}
): Promise<MountedKey> {
  const { status, json, text } = await world.request('POST /api/v2/user/me/security/token', {
    as,
    body: { name: 'device', mount, ...more }
  })
  assert.equal(status, 200, text)
  return json as MountedKey
}

/** The sign-in of a gateway whose credential has a mount. */
export async function mountedGateway(world: World, installationId: number, prefix?: string) {
  const line = `POST /api/v2/gateway/credentials/${installationId}`
  const { status, json, text } = await world.request(line, {
    as: world.admin,
    body: { mount: { prefix } }
  })
  assert.equal(status, 200, text)
  const { mqtt_username, mqtt_password, mqtt_client_id } = json as Record<string, string>
  return { username: mqtt_username, password: mqtt_password, clientId: mqtt_client_id } as {
    username: string
    password: string
    clientId: string
  }
}

/** What a mount cannot have as its prefix. */
export const hostilePrefixes: readonly unknown[] = [
  '',
  '/',
  '/dev',
  'dev/',
  'dev//x',
  '.',
  '..',
  '../obj',
  'dev/../obj',
  'dev/.',
  '+',
  '#',
  'dev/+',
  'dev/#',
  'de+v',
  'dev#',
  '$SYS',
  '$share/g',
  'dev/$x',
  'obj',
  'obj/hall',
  'set',
  'set/x',
  'evt',
  'evt/functionx/updated',
  'a/b/c/d/e/f/g/h/i',
  'x'.repeat(129),
  'é'.repeat(100),
  'a\nb',
  'a\u0000b',
  'a\u007fb',
  'a\u0085b',
  '\ud800',
  '\ufdd0',
  7,
  true,
  {},
  ['dev']
]
