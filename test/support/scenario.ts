import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestPlatform, type TestPlatform } from './platform.ts'
import { type RegistryEngine, sqlite } from './registries.ts'
import type { Answer, World } from './world.ts'

type PlatformOptions = Parameters<typeof startTestPlatform>[0]
type Made<G, T> = T | ((given: G) => T)

type Scenario<G> = {
  given?: (world: World) => Promise<G>
  /** The account whose token is sent; without it no token is sent. */
  as?: (given: G) => { token: string } | undefined
  request: Made<G, string>
  body?: Made<G, unknown>
  headers?: Made<G, Record<string, string>>
  expect: {
    status: number
    /** Compared completely. Leave it out to check details in `and`. */
    body?: Made<G, unknown>
    /** Everything that was published on MQTT. Nothing may be published that is not written here. */
    published?: Made<G, string[]>
  }
  and?: (answer: Answer, given: G, world: World) => unknown
}

const make = <G, T>(made: Made<G, T>, given: G): T =>
  typeof made === 'function' ? (made as (given: G) => T)(given) : made

/** Platforms with the usual settings, by registry. A start is slow, so a process has one of each. */
const usual = new Map<string, Promise<TestPlatform>>()

const startOn = async (engine: RegistryEngine | undefined, options: PlatformOptions) =>
  startTestPlatform({ ...options, registryUrl: (await engine?.url()) ?? '' })

function startUsual(engine: RegistryEngine = sqlite): Promise<TestPlatform> {
  const started = usual.get(engine.name) ?? startOn(engine, {})
  usual.set(engine.name, started)
  return started
}

after(async () => {
  for (const started of usual.values()) await (await started).stop()
})

/**
 * A platform for the tests of one `describe`. With options the tests get a separate platform,
 * otherwise they share one with other tests.
 */
export function withPlatform(engine?: RegistryEngine, options?: PlatformOptions) {
  const started: { platform?: TestPlatform } = {}
  before(async () => {
    started.platform = await (options ? startOn(engine, options) : startUsual(engine))
  })
  after(async () => {
    if (options) await started.platform?.stop()
  })
  const platform = (): TestPlatform => {
    assert(started.platform, 'the platform has not started')
    return started.platform
  }

  /** A test with preparation, caller, request, expected answer and expected MQTT messages. */
  function scenario<G = undefined>(name: string, scene: Scenario<G>): void {
    test(name, async () => {
      const { world } = platform()
      const given = (await scene.given?.(world)) as G
      const as = scene.as?.(given)
      let answer: Answer | undefined
      const published = await world.published(async () => {
        answer = await world.request(make(scene.request, given), {
          ...(as && { as }),
          body: make(scene.body, given),
          headers: make(scene.headers ?? {}, given)
        })
      })
      assert(answer)
      assert.equal(answer.status, scene.expect.status, answer.text)
      if ('body' in scene.expect) assert.deepEqual(bodyOf(answer), make(scene.expect.body, given))
      const expected = make(scene.expect.published ?? [], given)
      assert.deepEqual(published.filter(isOfThis(expected)), expected)
      await scene.and?.(answer, given, world)
    })
  }
  return { platform, scenario }
}

/** Alarms that other tests raised are told when they are judged, which may be now. */
const isOfThis = (expected: readonly string[]) => (line: string) =>
  !/^\d+\/evt\/alarm\/updated/.test(line) || expected.includes(line)

/** What a refused caller would need has tests of its own. */
function bodyOf({ status, json }: Answer): unknown {
  if (status !== 403) return json
  const { permissions: _, object: __, ...body } = json as Record<string, unknown>
  return body
}
