import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { unixMs } from '../../src/lib/unix-time.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { store } from '../support/samples.ts'
import { house, shows, signIn, withConsole } from './pages.ts'

const HOUR = 3_600_000

/** Notes every text and pattern that a canvas of the page draws. */
const noteDrawn = `
  globalThis.drawn = []
  const { prototype } = CanvasRenderingContext2D
  const { fillText, setLineDash } = prototype
  let dash = ''
  prototype.setLineDash = function (pattern) {
    dash = pattern.join(' ')
    setLineDash.call(this, pattern)
  }
  prototype.fillText = function (text, ...rest) {
    drawn.push(text + ' [' + dash + ']')
    fillText.call(this, text, ...rest)
  }`

describe('the picture of a plot', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()

  for (const [locale, before] of [
    ['en', 'Pictured, the week before'],
    ['sv', 'Pictured, veckan före']
  ] as const) {
    test(`names the lines and what they are compared with, ${locale}`, async () => {
      const { world, url } = platform()
      const { installation, user } = await house(world, 'Pictured')
      const samples = Array.from({ length: 8 * 24 }, (_, i) => ({
        ...{ topic: 'obj/temp', value: i % 7, timestamp: unixMs(Date.now() - (i + 1) * HOUR) }
      }))
      await store(platform(), installation, samples.reverse())
      const { page } = await open({ locale })
      await page.addInitScript(noteDrawn)
      const topics = encodeURIComponent('["obj/temp"]')
      const address = `${url}/installations/${installation.id}/plot?topics=${topics}&compare=true`
      if (locale === 'en') await signIn(page, address, user)
      else {
        await page.goto(address)
        await page.getByLabel('E-post').fill(user.email)
        await page.getByRole('textbox', { name: 'Lösenord' }).fill(user.password)
        await page.getByRole('button', { name: 'Logga in' }).click()
      }
      await shows(page, /Dashed|Streckat/)
      await eventually(async () => {
        await page.evaluate('drawn.length = 0')
        const [file] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: 'PNG' }).click()
        ])
        assert.equal(
          readFileSync(await file.path())
            .subarray(1, 4)
            .toString(),
          'PNG'
        )
        const drawn = await page.evaluate<string[]>('drawn')
        const legend = drawn.filter((text) => text.startsWith('Pictured'))
        assert.deepEqual(legend.slice(1), ['Pictured []', `${before} [4 4]`])
      })
    })
  }
})
