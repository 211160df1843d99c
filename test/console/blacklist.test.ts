import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { isTopic } from '../../console/src/blacklist/draft.ts'
import { placesUsed } from '../../console/src/blacklist/places.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { HOSTILE, seriousFindings, shows, signIn, withConsole } from './pages.ts'

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

test('which topics can have an entry', () => {
  for (const topic of ['#', '+/obj/x', '12/#', '12/a/+']) assert.equal(isTopic(topic), true, topic)
  for (const topic of ['', 'obj/x', '12', 'x/#', '12/#/a', '12/a+'])
    assert.equal(isTopic(topic), false, topic)
})

test('places are counted for the platform and for each tenant', () => {
  const organizations = [
    { id: 1, parent: 0 },
    { id: 2, parent: 1 },
    { id: 3, parent: 2 }
  ]
  const installations = [
    { client_id: 10, organization_id: 3 },
    { client_id: 11, organization_id: 2 },
    { client_id: 12, organization_id: 1 }
  ]
  const topics = ['10/a', '11/#', '12/b', '#', '99/c']
  assert.deepEqual([...placesUsed(topics, installations, organizations)].sort(), [
    [0, 3],
    [2, 2]
  ])
  // Who sees only a part of the tree counts by the topmost one that they see.
  const seen = [{ id: 3, parent: 0 }]
  assert.deepEqual([...placesUsed(['10/a'], installations, seen)], [[3, 1]])
})

describe('the blacklist', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole()
  const url = () => `${platform().url}/blacklist`

  type Entry = { id: number; topic: string; mode: string; enabled: boolean; reason: string }

  async function scene() {
    const { world } = platform()
    const { installation, user } = await world.site([
      'mqtt/blacklist/topic/manage',
      'installation/list/all',
      'organization/list'
    ])
    const list = async () =>
      (await world.request('GET /api/v2/blacklist/topic', { as: user })).json as Entry[]
    const make = async (body: object) =>
      (await world.request('POST /api/v2/blacklist/topic', { as: user, body })).json as Entry
    return { world, installation, user, list, make, cid: installation.client_id }
  }

  test('an entry is made, changed and deleted', async () => {
    const { installation, user, list, cid } = await scene()
    const { page, faults } = await open()
    await signIn(page, url(), user)
    await shows(page, 'No topic is on the list')
    await page.getByRole('button', { name: 'New entry', exact: true }).click()
    const panel = page.getByRole('dialog')
    await panel.getByRole('combobox', { name: 'Installation' }).fill(installation.name)
    await page.getByRole('option', { name: installation.name }).click()
    const topic = panel.getByRole('textbox', { name: 'Topic filter' })
    assert.equal(await topic.inputValue(), `${cid}/obj/#`)
    await topic.fill('loud/#')
    await panel.getByText('It begins with <client id>/').waitFor()
    const filter = `${cid}/${HOSTILE}`
    await topic.fill(filter)
    await panel.getByLabel('Reason').fill(HOSTILE)
    await panel.getByRole('button', { name: 'New entry', exact: true }).click()
    const line = page.getByRole('link', { name: filter })
    await line.waitFor()
    const [made] = await list()
    assert.deepEqual(
      [made?.topic, made?.mode, made?.enabled, made?.reason],
      [filter, 'block', true, HOSTILE]
    )
    await shows(page, '1 of 100 places used')
    await shows(page, '0 messages held back')

    await line.click()
    await panel.getByLabel('Do not store').check()
    await panel.getByRole('switch', { name: 'In use' }).uncheck()
    await panel.getByRole('button', { name: 'Save', exact: true }).click()
    await eventually(async () => {
      const [now] = await list()
      assert.deepEqual([now?.mode, now?.enabled], ['ignore', false])
    })
    await line.click()
    await panel.getByRole('button', { name: 'Delete the entry', exact: true }).click()
    await panel.getByText(`Delete ${filter}?`).waitFor()
    await panel.getByRole('button', { name: 'Delete', exact: true }).click()
    await shows(page, 'No topic is on the list')
    assert.deepEqual(await list(), [])
    assert.equal(await page.title(), 'Caracal')
    assert.deepEqual(faults, [])
  })

  test('a refusal is told, and a change of another is shown', async () => {
    const { world, user, list, make, cid } = await scene()
    const { id } = await make({ topic: `${cid}/a` })
    await make({ topic: `${cid}/b` })
    const { page } = await open()
    await signIn(page, `${url()}?id=${id}`, user)
    const panel = page.getByRole('dialog')
    const topic = panel.getByRole('textbox', { name: 'Topic filter' })
    const save = panel.getByRole('button', { name: 'Save', exact: true })
    await topic.fill('#')
    await panel.getByText('concerns all installations').waitFor()
    await save.click()
    await panel.getByText('The platform refused this').waitFor()
    await topic.fill(`${cid}/b`)
    await save.click()
    await panel.getByText('already has an entry').waitFor()
    await topic.fill(`${cid}/c`)
    const body = { reason: 'theirs' }
    await world.request(`PUT /api/v2/blacklist/topic/${id}`, { as: user, body })
    await save.click()
    await panel.getByText('Somebody else changed this').waitFor()
    await panel.getByRole('button', { name: 'Keep my changes on top' }).click()
    await save.click()
    await eventually(async () => {
      const now = (await list()).find((one) => one.id === id)
      assert.deepEqual([now?.topic, now?.reason], [`${cid}/c`, 'theirs'])
    })
  })

  test('who may not manage it sees which permission is missing', async () => {
    const { world } = await scene()
    const other = await world.user({ grants: ['installation/list/all'], organizations: [1] })
    const { page } = await open()
    await signIn(page, url(), other)
    await shows(page, 'mqtt/blacklist/topic/manage is missing')
    assert.equal(await page.getByRole('button', { name: 'New entry', exact: true }).count(), 0)
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`the page can be used by everybody, ${colorScheme}`, async () => {
      const { user, make, cid } = await scene()
      for (let i = 0; i < 12; i++) await make({ topic: `${cid}/obj/${i}/#`, reason: 'too loud' })
      const { id } = await make({ topic: `${cid}/${HOSTILE.repeat(3)}`, mode: 'ignore' })
      const { page } = await open({ ...phone, colorScheme })
      const check = async () => {
        assert.deepEqual(await seriousFindings(page), [])
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390)
      }
      await signIn(page, url(), user)
      await shows(page, '13 of 100 places used')
      await check()
      await page.getByRole('searchbox').fill('obj/11')
      await page.getByRole('link', { name: '/obj/11/' }).waitFor()
      assert.equal(await page.getByRole('listitem').filter({ hasText: 'too loud' }).count(), 1)
      await page.goto(`${url()}?id=${id}`)
      await page.getByRole('dialog').getByText('What happens').waitFor()
      await check()
    })
})
