import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { withPart } from '../../console/src/notification/message.ts'
import {
  emptyOutput,
  keysOf,
  outputBody,
  usualKeys,
  withConfig,
  withNewRow,
  withRow
} from '../../console/src/notification/output.ts'
import { payloadOf, readPayload } from '../../console/src/notification/payload.ts'
import { chromium } from '../support/chromium.ts'
import { eventually } from '../support/eventually.ts'
import { startExecutor } from '../support/executor.ts'
import { grants, HOSTILE, house, seriousFindings, shows, signIn, withConsole } from './pages.ts'

test('what an output sends to the API', () => {
  const chosen = { ...emptyOutput, name: ' a ', message: '1', executor: '2' }
  const made = withNewRow(withConfig(chosen, 'subject', 'x'))
  assert.deepEqual(keysOf(made), ['subject'])
  assert.equal(outputBody(made, ['subject']), undefined, 'the new row has no key')
  const taken = withRow(made, { row: 1, key: 'subject', value: '' })
  assert.equal(outputBody(taken, ['subject']), undefined)
  const full = withRow(made, { row: 1, key: 'recipients', value: 'b' })
  assert.deepEqual(outputBody(full, ['subject']), {
    ...{ name: 'a', notification_message_id: 1, notification_output_executor_id: 2 },
    config: { subject: 'x', recipients: 'b' }
  })
  assert.equal(outputBody(emptyOutput, []), undefined)
  assert.deepEqual(keysOf(withConfig(made, 'subject', undefined)), [])
  assert.deepEqual(usualKeys(' SMTP '), ['recipients', 'subject'])
  assert.deepEqual(usualKeys('constructor'), [])
})

test('payloads and parts of templates', () => {
  assert.deepEqual(readPayload(' '), {})
  assert.deepEqual(readPayload('{"a": [1]}'), { a: [1] })
  for (const odd of ['[]', 'null', '5', '{', '"a"']) assert.equal(readPayload(odd), undefined)
  const text = payloadOf('Hall', { topic: '1/obj/a', value: 2, timestamp: 3, msg: '' })
  assert.deepEqual(JSON.parse(text), { name: 'Hall', topic: '1/obj/a', value: 2, timestamp: 3 })
  assert.equal(withPart('abcd', 'X', [1, 3]), 'aXd')
})

const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }

describe('notifications', { skip: chromium.missing }, () => {
  const { platform, open } = withConsole({ CARACAL_NOTIFY_PRIVATE_NETWORKS: '127.0.0.1' })

  const stops: (() => void)[] = []
  after(() => {
    for (const stop of stops) stop()
  })

  /** A house with a value, an executor that keeps what it gets, and a manager. */
  async function home(name = 'Summer house') {
    const { world } = platform()
    const { installation } = await house(world, name)
    const organizations = [installation.organization_id]
    const manager = await world.user({ grants: [...grants, 'notification/#'], organizations })
    const executor = await startExecutor()
    stops.push(executor.stop)
    const ask = async (line: string, body?: unknown, as: { token: string } = manager) => {
      const answer = await world.request(line, { as, body })
      assert.equal(answer.status, 200, answer.text)
      return answer.json as Record<string, unknown>
    }
    const mail = await ask(
      'POST /api/v2/admin/notification/executor',
      {
        ...{ name: 'Mail', type: 'smtp', organization_id: installation.organization_id },
        config: { url: executor.url }
      },
      world.admin
    )
    const at = `/api/v2/notification/${installation.id}`
    const list = async (kind: 'message' | 'output') =>
      (await ask(`GET ${at}/${kind}`)) as unknown as Record<string, unknown>[]
    const url = `${platform().url}/installations/${installation.id}/notifications`
    const message = (text = 'Hi') => ask(`POST ${at}/message`, { name: 'Hot', text })
    const output = async (config = {}, text?: string) =>
      ask(`POST ${at}/output`, {
        name: 'To me',
        notification_message_id: (await message(text))['id'],
        notification_output_executor_id: mail['id'],
        config
      })
    return {
      world,
      installation,
      organizations,
      manager,
      executor,
      mail,
      ask,
      at,
      list,
      url,
      message,
      output
    }
  }

  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const field = (page: Page, name: string | RegExp) => page.getByRole('textbox', { name })
  const save = (page: Page) => button(page, 'Save')

  async function choose(page: Page, label: string, option: string) {
    await page.getByRole('combobox', { name: label }).click()
    await page.getByRole('option', { name: option, exact: true }).click()
  }

  test('a message and an output are made, and the output is sent', async () => {
    const { manager, executor, mail, list, url } = await home()
    const { page, faults } = await open()
    await signIn(page, url, manager)
    await shows(page, 'There is no message yet')
    await button(page, 'New message').click()
    await field(page, /^Name/).fill(HOSTILE)
    await field(page, /^Text/).fill('It is  °C')
    for (let i = 0; i < 3; i++) await page.keyboard.press('ArrowLeft')
    await button(page, 'Insert payload.value').click()
    assert.equal(await field(page, /^Text/).inputValue(), 'It is {{.payload.value}} °C')
    await field(page, /^Text/).fill('{{if}}')
    await button(page, 'New message').last().click()
    await page.getByRole('alert').getByText('text').waitFor()
    assert.deepEqual(await list('message'), [])
    await field(page, /^Text/).fill('{{.installation.Name}}: {{.payload.value}}')
    await button(page, 'New message').last().click()
    await page.getByRole('link', { name: HOSTILE }).waitFor()
    const [message] = await list('message')
    assert.equal(message?.['text'], '{{.installation.Name}}: {{.payload.value}}')

    await button(page, 'New output').click()
    await field(page, /^Name/).fill('To me')
    await choose(page, 'Message', HOSTILE)
    await choose(page, 'Executor', 'Mail (smtp)')
    await field(page, 'Recipients').fill('me@example.org')
    await button(page, 'Add a value').click()
    await field(page, 'Key 1').fill('tone')
    await field(page, 'Value 1').fill(HOSTILE)
    await button(page, 'New output').last().click()
    await page.getByText(`${HOSTILE} → Mail`).waitFor()
    const [output] = await list('output')
    const { notification_message_id, notification_output_executor_id, config } = output ?? {}
    assert.deepEqual(
      [notification_message_id, notification_output_executor_id, config],
      [message?.['id'], mail['id'], { recipients: 'me@example.org', tone: HOSTILE }]
    )

    await page.getByRole('link', { name: 'To me' }).click()
    await shows(page, 'It was not sent yet')
    await choose(page, 'Newest value of a function', 'Summer house')
    await eventually(async () =>
      assert.match(await field(page, /^Payload/).inputValue(), /"value": 21.44/)
    )
    await button(page, 'Send').click()
    await shows(page, /Last sends/)
    const [received] = executor.received
    const body = JSON.parse(received?.body ?? '') as Record<string, unknown>
    assert.equal(body['message'], 'Summer house: 21.44')
    assert.equal((body['payload'] as { value: number }).value, 21.44)
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual(faults, [])
  })

  test('a message reads as it will be sent, with the newest value, while it is written', async () => {
    const { manager, list, url, executor } = await home()
    const { page, faults } = await open()
    await signIn(page, `${url}?add=message`, manager)
    const preview = page.getByRole('region', { name: 'How it reads' })
    await preview.getByText('Write a text.').waitFor()
    await eventually(async () =>
      assert.match(await field(page, /^Payload/).inputValue(), /"value": 21.44/)
    )
    const text = field(page, /^Text/)
    await text.fill('{{.installation.Name}}: {{printf "%.1f" .payload.value}} °C')
    await preview.getByText('Summer house: 21.4 °C', { exact: true }).waitFor()
    await field(page, /^Payload/).fill(JSON.stringify({ value: HOSTILE }))
    await text.fill('{{.payload.value}}\nnext')
    await preview.getByText(HOSTILE).waitFor()
    await text.fill('{{if}}')
    await preview.getByText('text: line 1: unexpected').waitFor()
    await field(page, /^Payload/).fill('[]')
    await preview.getByText('This is not a JSON object.').waitFor()
    assert.equal((await page.title()).includes('hacked'), false)
    assert.deepEqual([await list('message'), executor.received], [[], []])
    assert.deepEqual(faults, [])
  })

  test('why a send failed is told, and kept in the list', async () => {
    const { manager, executor, output, url } = await home()
    const { id } = await output({}, '{{if lt .payload.value "a"}}x{{end}}')
    executor.stop()
    const { page } = await open()
    await signIn(page, `${url}?output=${id}`, manager)
    await field(page, /^Payload/).fill('[1]')
    await shows(page, 'This is not a JSON object')
    assert.equal(await button(page, 'Send').isDisabled(), true)
    await field(page, /^Payload/).fill('{"value": 1}')
    await button(page, 'Send').click()
    await page.getByRole('cell', { name: 'bad template' }).waitFor()
    await page.getByRole('alert').getByText('text').waitFor()
  })

  test('what somebody else changed meanwhile is shown; a message in use stays', async () => {
    const { manager, ask, at, list, output, url } = await home()
    const made = await output({ recipients: 'a', tone: 'low' })
    const { page } = await open()
    await signIn(page, `${url}?output=${made['id']}`, manager)
    await field(page, 'Recipients').fill('b')
    await shows(page, 'What is saved is sent, without your changes')
    const config = { recipients: 'a', tone: 'high' }
    await ask(`PUT ${at}/output/${made['id']}`, { config })
    await save(page).click()
    await shows(page, /tone\s+low\s+high\s+as before/)
    assert.deepEqual((await list('output'))[0]?.['config'], config, 'nothing is overwritten')
    await button(page, 'Keep my changes on top').click()
    await save(page).click()
    await eventually(async () =>
      assert.deepEqual((await list('output'))[0]?.['config'], { recipients: 'b', tone: 'high' })
    )
    await page.getByRole('dialog').waitFor({ state: 'hidden' })

    await page.getByRole('link', { name: 'Hot', exact: true }).click()
    await page.getByText('It cannot be deleted while outputs send it: To me.').waitFor()
    await field(page, /^Text/).fill('Changed')
    await save(page).click()
    await eventually(async () => assert.equal((await list('message'))[0]?.['text'], 'Changed'))
    await page.getByRole('dialog').waitFor({ state: 'hidden' })

    await page.getByRole('link', { name: 'To me', exact: true }).click()
    await button(page, 'Remove tone').click()
    await save(page).click()
    await eventually(async () =>
      assert.deepEqual((await list('output'))[0]?.['config'], { recipients: 'b' })
    )
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('link', { name: 'To me', exact: true }).click()
    await button(page, 'Delete the output').click()
    await page.getByText('Delete To me?').waitFor()
    await button(page, 'Delete').click()
    await shows(page, 'There is no output yet')
    await page.getByRole('link', { name: 'Hot', exact: true }).click()
    await button(page, 'Delete the message').click()
    await button(page, 'Delete').click()
    await shows(page, 'There is no message yet')
    assert.deepEqual([await list('message'), await list('output')], [[], []])
  })

  test('who may only look changes and sends nothing; on a phone, in both themes', async () => {
    const { world, organizations, output, url } = await home(HOSTILE)
    const reader = await world.user({
      grants: [
        ...grants,
        'notification/message/list/all',
        'notification/output/list/all',
        'notification/executor/list/all'
      ],
      organizations
    })
    await output({ subject: HOSTILE })
    for (const colorScheme of ['light', 'dark'] as const) {
      const { page, faults } = await open({ ...phone, colorScheme })
      await signIn(page, url, reader)
      await shows(page, 'Hot → Mail')
      for (const name of ['New message', 'New output']) {
        assert.equal(await button(page, name).count(), 0)
      }
      assert.deepEqual(await seriousFindings(page), [])
      await page.getByRole('link', { name: 'To me', exact: true }).click()
      await shows(page, 'you need the permission notification/output/send')
      for (const name of ['Save', 'Send', 'Delete the output', 'Add a value']) {
        assert.equal(await button(page, name).count(), 0)
      }
      assert.equal(await field(page, 'Subject').isEditable(), false)
      // The panel fades in.
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      const wide = await page.evaluate(
        'document.documentElement.scrollWidth - document.documentElement.clientWidth'
      )
      assert.equal(wide, 0)
      assert.deepEqual(faults, [])
    }
  })

  for (const colorScheme of ['light', 'dark'] as const)
    test(`a manager's panels can be used by everybody, ${colorScheme}`, async () => {
      const { manager, output, message, url } = await home()
      const { id } = await output({ recipients: 'me@example.org', tone: 'low' })
      await message('{{.installation.Name}}\n'.repeat(4))
      const { page } = await open({ ...phone, colorScheme })
      await signIn(page, `${url}?output=${id}`, manager)
      await button(page, 'Send').click()
      await page.getByRole('cell', { name: 'Sent', exact: true }).waitFor()
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
      await page.goto(`${url}?add=message`)
      await field(page, /^Text/).waitFor()
      await eventually(async () => assert.deepEqual(await seriousFindings(page), []))
    })
})
