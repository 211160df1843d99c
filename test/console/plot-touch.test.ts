import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CDPSession, Page } from 'playwright-core'
import { unixMs } from '../../src/lib/unix-time.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { store } from '../support/samples.ts'
import { house, shows, signIn, withConsole } from './pages.ts'

const HOUR_S = 3600
const phone = { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }
type At = { x: number; y: number }

describe('a plot under fingers', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  /** The plot of a whole day that is over, on a phone. */
  async function plotted(name: string) {
    const { world, url } = platform()
    const { installation, user } = await house(world, name)
    const to = Math.floor(Date.now() / 1000) - 2 * HOUR_S
    const from = to - 24 * HOUR_S
    const samples = Array.from({ length: 24 * 12 }, (_, i) => ({
      ...{ topic: 'obj/temp', value: i % 10, timestamp: unixMs((from + i * 300) * 1000) }
    }))
    await store(platform(), installation, samples)
    const { page, faults } = await open(phone)
    const topics = encodeURIComponent('["obj/temp"]')
    const path = `/installations/${installation.id}/plot?topics=${topics}&from=${from}&to=${to}`
    await signIn(page, url + path, user)
    await shows(page, 'Drag sideways or pinch')
    await shows(page, /Samples[\s\S]*288/)
    const box = await eventually(async () => {
      const found = await page.locator('.u-over').boundingBox()
      assert(found)
      return found
    })
    const fingers = await page.context().newCDPSession(page)
    /** A place in parts of the plot. */
    const at = (x: number, y = 0.5): At => ({ x: box.x + box.width * x, y: box.y + box.height * y })
    return { page, faults, fingers, at, from, to }
  }

  const spanIn = (page: Page) => {
    const { searchParams } = new URL(page.url())
    return [Number(searchParams.get('from')), Number(searchParams.get('to'))] as const
  }
  const touch = (fingers: CDPSession, type: 'Start' | 'Move' | 'End', places: At[]) =>
    fingers.send('Input.dispatchTouchEvent', {
      type: `touch${type}`,
      touchPoints: places.map((place, id) => ({ ...place, id }))
    })
  async function slide(fingers: CDPSession, from: At[], to: At[], whileDown = () => {}) {
    await touch(fingers, 'Start', from)
    for (let step = 1; step <= 8; step++) {
      const part = step / 8
      const between = from.map(({ x, y }, i) => ({
        x: x + ((to[i]?.x ?? x) - x) * part,
        y: y + ((to[i]?.y ?? y) - y) * part
      }))
      await touch(fingers, 'Move', between)
    }
    await whileDown()
    await touch(fingers, 'End', [])
  }
  const isNear = (value: number, wanted: number) =>
    assert(Math.abs(value - wanted) < 0.06 * 24 * HOUR_S, `${value} is not near ${wanted}`)

  test('one finger sideways zooms to what it marks, and two taps lead back', async () => {
    const { page, faults, fingers, at, from, to } = await plotted('One finger')
    const day = to - from
    await slide(fingers, [at(0.25)], [at(0.5, 0.55)])
    await eventually(() => assert.notEqual(spanIn(page)[0], from))
    const [left, right] = spanIn(page)
    isNear(left, from + day * 0.25)
    isNear(right, from + day * 0.5)
    assert.equal(await page.evaluate('scrollY'), 0)
    const { x, y } = at(0.5)
    await page.touchscreen.tap(x, y)
    await page.touchscreen.tap(x, y)
    await eventually(() => assert.deepEqual(spanIn(page), [from, to]))
    assert.deepEqual(faults, [])
  })

  test('a tap shows the values there', async () => {
    const { page, at } = await plotted('Tapped')
    const { x, y } = at(0.5)
    await page.touchscreen.tap(x, y)
    await eventually(async () => assert.match(await page.locator('.readout').innerText(), /Tapped/))
    const name = await page.locator('.readout-name').first().boundingBox()
    assert((name?.width ?? 0) > 60, 'the name has space')
    const readout = await page.locator('.readout').evaluate(({ scrollWidth, clientWidth }) => ({
      ...{ scrollWidth, clientWidth }
    }))
    assert.equal(readout.scrollWidth, readout.clientWidth)
  })

  test('two fingers apart zoom in around them, together zoom out', async () => {
    const { page, faults, fingers, at, from, to } = await plotted('Two fingers')
    const day = to - from
    await slide(fingers, [at(0.4), at(0.6)], [at(0.2), at(0.8)])
    await eventually(() => assert.notEqual(spanIn(page)[0], from))
    const near = spanIn(page)
    isNear(near[1] - near[0], day / 3)
    isNear((near[0] + near[1]) / 2, from + day / 2)
    await slide(fingers, [at(0.2), at(0.8)], [at(0.4), at(0.6)])
    await eventually(() => assert.notEqual(spanIn(page)[0], near[0]))
    const far = spanIn(page)
    isNear(far[1] - far[0], day)
    assert.deepEqual(faults, [])
  })

  test('one finger up scrolls the page and zooms nothing', async () => {
    const { page, fingers, at, from, to } = await plotted('Scrolled')
    await slide(fingers, [at(0.5, 0.9)], [at(0.52, 0.1)])
    await eventually(async () => assert((await page.evaluate<number>('scrollY')) > 100))
    assert.deepEqual(spanIn(page), [from, to])
    assert.equal(await page.locator('.u-select').evaluate(({ clientWidth }) => clientWidth), 0)
  })
})
