import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { DAY, HOUR, MINUTE, SECOND, unixMs } from '../../src/lib/unix-time.ts'
import { onRegistryMatrix } from '../support/registries.ts'
import { slow } from '../support/rounds.ts'
import { openTelling, type Telling } from '../support/telling.ts'

/** A Wednesday. In Stockholm it is 13:00. */
const noon = unixMs(Date.UTC(2026, 10, 18, 12))
/** Time enough for a first message. */
const FIRST_MS = 10 * SECOND
/** Time enough for what was held. */
const HELD_MS = 11 * MINUTE

onRegistryMatrix('telling of alarms', (engine) => {
  let telling: Telling
  before(async () => {
    telling = await openTelling(engine, noon)
  })
  after(() => telling.close())

  /** A place of its own, so that tests do not hear of each other. */
  async function place(settings = {}, fields = {}) {
    const organization = await telling.organization()
    const name = 'Summer house'
    const installation = await telling.installation({ organization_id: organization, name })
    const person = await telling.person(organization, settings, fields)
    return { organization, installation, person }
  }
  const setClock = (at: number) => {
    telling.time.now = unixMs(Math.max(at, telling.time.now))
  }

  test('a first message comes within 10 seconds, and the end is told once', async () => {
    const { installation, person } = await place()
    const [alarm] = await telling.raise(installation)
    assert(alarm)
    await telling.pass(FIRST_MS)
    const [mail] = person.mails()
    assert.equal(mail?.subject, 'warning: Summer house: Too warm')
    assert.match(mail?.text ?? '', /^Summer house\n- warning: Too warm \(raised, since 2026-11-18/)
    assert.deepEqual(await telling.deliveries(installation, alarm.id), [
      `mail ${person.email} sent`
    ])
    telling.time.now = unixMs(telling.time.now + HOUR)
    await telling.clear(installation)
    await telling.pass(FIRST_MS)
    assert.equal(person.mails().length, 2)
    assert.match(person.mails()[1]?.subject ?? '', /^cleared: Summer house: Too warm/)
    await telling.pass(HELD_MS, 10 * SECOND)
    assert.equal(person.mails().length, 2)
  })

  test('what follows within 10 minutes is told in one more message', async () => {
    const { installation, person } = await place()
    for (let round = 0; round < 20; round++) {
      await telling.raise(installation)
      await telling.pass(5 * SECOND)
      await telling.clear(installation)
      await telling.pass(5 * SECOND)
    }
    assert.equal(person.mails().length, 1)
    await telling.pass(HELD_MS, 10 * SECOND)
    assert.equal(person.mails().length, 2)
    const [, mail] = person.mails()
    assert.match(mail?.subject ?? '', /^cleared: Summer house: 20 alarms/)
    await telling.pass(HELD_MS, 10 * SECOND)
    assert.equal(person.mails().length, 2)
  })

  test('another rule of the installation is told at once', async () => {
    const { installation, person } = await place()
    await telling.raise(installation)
    await telling.pass(FIRST_MS)
    await telling.raise(installation, [{ rule_id: 2, message: 'Too wet' }])
    await telling.pass(FIRST_MS)
    assert.deepEqual(
      person.mails().map(({ subject }) => subject),
      ['warning: Summer house: Too warm', 'warning: Summer house: Too wet']
    )
  })

  test('10 000 alarms at once are one message for each person and channel', slow, async () => {
    const { organization, installation, person } = await place()
    const webhook = `${telling.hook.url}/storm`
    const other = await telling.person(organization, { channels: ['webhook', 'mail'], webhook })
    const topics = Array.from({ length: 10_000 }, (_, i) => `obj/${i}`)
    const news = topics.map((topic, i) => ({ topic, rule_id: (i % 100) + 1 }))
    for (let start = 0; start < news.length; start += 2000) {
      await telling.raise(installation, news.slice(start, start + 2000))
    }
    await telling.pass(FIRST_MS)
    for (const { mails } of [person, other]) {
      assert.equal(mails().length, 1)
      const { subject = '', text = '' } = mails()[0] ?? {}
      assert.equal(subject, 'warning: Summer house: 10000 alarms')
      assert.match(text, /and 9950 more/)
      assert(text.length < 20_000)
    }
    const posts = telling.hook.received.filter(({ url }) => url === '/storm')
    assert.equal(posts.length, 1)
    const { alarms, total } = JSON.parse(posts[0]?.body ?? '')
    assert.deepEqual([alarms.length, total], [1000, 10_000])
    for (let rule = 1; rule <= 100; rule++) {
      const own = news.filter(({ rule_id }) => rule_id === rule).map(({ topic }) => topic)
      await telling.clear(installation, own, rule)
    }
    await telling.pass(HELD_MS, 10 * SECOND)
    assert.equal(person.mails().length, 2)
    assert.equal(person.mails()[1]?.subject, 'cleared: Summer house: 10000 alarms')
  })

  test('alarms of many installations are one message for each person', async () => {
    const { organization, person } = await place()
    for (let i = 0; i < 50; i++) {
      const installation = await telling.installation({ organization_id: organization })
      await telling.raise(installation, [{ rule_id: 0, severity: 'critical', message: '' }])
    }
    await telling.pass(FIRST_MS)
    assert.deepEqual(
      person.mails().map(({ subject }) => subject),
      ['critical: 50 installations: 50 alarms']
    )
    assert.match(person.mails()[0]?.text ?? '', /critical: the gateway is not connected/)
  })

  test('only those are told who asked for the severity and may list the alarms', async () => {
    const { organization, installation, person } = await place({ severities: ['critical'] })
    const above = await telling.person(telling.top, {})
    const noRight = await telling.person(organization, {}, { grants: ['log/read/all'] })
    const elsewhere = await telling.person(await telling.organization(), {})
    const silent = await telling.person(organization, { channels: [] })
    const assigned = await telling.person(
      await telling.organization(),
      {},
      {
        ...{ grants: ['alarm/list/assigned'], assigned_installations: [installation.id] }
      }
    )
    const named = await telling.person(
      await telling.organization(),
      {},
      {
        grants: [`${installation.id}/alarm/list/all`]
      }
    )
    await telling.raise(installation)
    await telling.pass(FIRST_MS)
    const told = [person, above, noRight, elsewhere, silent, assigned, named]
    assert.deepEqual(
      told.map(({ mails }) => mails().length),
      [0, 1, 0, 0, 0, 1, 1]
    )
    await telling.wants(above, { channels: [] })
  })

  test('rights count when a user is told, not when the settings were stored', async () => {
    const { installation, person } = await place({ quiet: { from: '00:00', to: '23:59' } })
    const [alarm] = await telling.raise(installation)
    await telling.pass(FIRST_MS)
    assert.deepEqual(await telling.deliveries(installation, alarm?.id ?? 0), [
      `mail ${person.email} held`
    ])
    await telling.registry
      .deleteFrom('user_organizations')
      .where('user_id', '=', person.id)
      .execute()
    telling.identity.forget()
    setClock(telling.time.now + DAY)
    await telling.pass(FIRST_MS)
    assert.equal(person.mails().length, 0)
    const [delivery] = await telling.deliveries(installation, alarm?.id ?? 0)
    assert.match(delivery ?? '', /failed: the user may not list the alarms/)
  })

  test('an alarm that nobody is to be told of is not told, nor its end', async () => {
    const { installation, person } = await place()
    await telling.raise(installation, [{ isTold: false }])
    await telling.pass(FIRST_MS)
    await telling.clear(installation)
    await telling.pass(FIRST_MS)
    assert.equal(person.mails().length, 0)
  })

  test('who was not told of the begin is not told of the end', async () => {
    const { organization, installation, person } = await place()
    await telling.raise(installation)
    await telling.pass(FIRST_MS)
    const late = await telling.person(organization, {})
    setClock(telling.time.now + HOUR)
    await telling.clear(installation)
    await telling.pass(FIRST_MS)
    assert.deepEqual([person.mails().length, late.mails().length], [2, 0])
  })

  test('what was raised and cleared while the platform was away is one line', async () => {
    const { installation, person } = await place()
    const raised_at = telling.time.now - 30 * MINUTE
    const cleared_at = raised_at + MINUTE
    const past = ['a', 'b', 'c'].map((topic) => ({ topic, raised_at, cleared_at }))
    await telling.raise(installation, [...past, { topic: 'd' }])
    await telling.pass(FIRST_MS)
    const [mail] = person.mails()
    assert.equal(mail?.subject, 'warning: Summer house: Too warm')
    assert.match(
      mail?.text ?? '',
      /\n3 alarms were raised and cleared while nobody could be told\n/
    )
    assert.equal((mail?.text ?? '').match(/Too warm/g)?.length, 1)
  })

  test('quiet hours are those of the installation, over midnight', async () => {
    const organization = await telling.organization()
    const fields = { organization_id: organization, timezone: 'Asia/Tokyo' }
    const installation = await telling.installation(fields)
    const quiet = { from: '22:00', to: '07:00' }
    const person = await telling.person(organization, { quiet })
    const digested = await telling.person(organization, { quiet, digest: '08:00' })
    // 23:30 in Tokyo.
    const night = Math.ceil((telling.time.now + DAY) / DAY) * DAY + 14.5 * HOUR
    setClock(night)
    await telling.raise(installation)
    await telling.pass(FIRST_MS)
    setClock(night + 7.4 * HOUR)
    await telling.tick()
    assert.deepEqual([person.mails().length, digested.mails().length], [0, 0])
    setClock(night + 7.5 * HOUR)
    await telling.tick()
    assert.deepEqual([person.mails().length, digested.mails().length], [1, 0])
    setClock(night + 8.5 * HOUR)
    await telling.tick()
    assert.deepEqual([person.mails().length, digested.mails().length], [1, 1])
    await telling.raise(installation, [{ rule_id: 5 }])
    await telling.pass(FIRST_MS)
    assert.deepEqual([person.mails().length, digested.mails().length], [2, 2])
  })

  test('without quiet hours a digest holds everything for one message a day', async () => {
    const organization = await telling.organization()
    const fields = { organization_id: organization, timezone: 'Europe/Stockholm' }
    const installation = await telling.installation(fields)
    const person = await telling.person(organization, { digest: '08:00' })
    const morning = Math.ceil((telling.time.now + DAY) / DAY) * DAY + 7 * HOUR
    setClock(morning + MINUTE)
    for (let hour = 1; hour <= 5; hour++) {
      await telling.raise(installation, [{ rule_id: hour, topic: `obj/${hour}` }])
      await telling.pass(FIRST_MS)
      setClock(telling.time.now + HOUR)
    }
    assert.equal(person.mails().length, 0)
    setClock(morning + DAY)
    await telling.tick()
    assert.equal(person.mails().length, 1)
    assert.match(person.mails()[0]?.subject ?? '', /: 5 alarms$/)
  })

  test('an alarm that nobody acknowledges goes to the next user, and ends there', async () => {
    const organization = await telling.organization()
    const installation = await telling.installation({ organization_id: organization })
    const third = await telling.person(organization, { severities: [] })
    const second = await telling.person(organization, {
      ...{ severities: [], escalate: { after: '15m', user_id: third.id } }
    })
    const first = await telling.person(organization, {
      escalate: { after: '15m', user_id: second.id }
    })
    // A circle ends.
    await telling.wants(third, { severities: [], escalate: { after: '1m', user_id: second.id } })
    const [alarm] = await telling.raise(installation)
    const counts = () => [first, second, third].map(({ mails }) => mails().length)
    await telling.pass(FIRST_MS)
    assert.deepEqual(counts(), [1, 0, 0])
    await telling.pass(15 * MINUTE, 5 * SECOND)
    assert.deepEqual(counts(), [1, 1, 0])
    assert.match(second.mails()[0]?.subject ?? '', /^not acknowledged, warning: /)
    await telling.pass(HOUR, 10 * SECOND)
    assert.deepEqual(counts(), [1, 1, 1])
    await telling.clear(installation)
    await telling.pass(FIRST_MS)
    assert.deepEqual(counts(), [2, 2, 2])
    assert.equal((await telling.deliveries(installation, alarm?.id ?? 0)).length, 6)
  })

  test('an acknowledged or cleared alarm is not escalated', async () => {
    const { organization, installation, person } = await place()
    const next = await telling.person(organization, { severities: [] })
    await telling.wants(person, { escalate: { after: '5m', user_id: next.id } })
    const [alarm] = await telling.raise(installation, [{ topic: 'a' }, { topic: 'b' }])
    await telling.pass(FIRST_MS)
    await telling.registry
      .updateTable('alarms')
      .set({ acknowledged_at: telling.time.now, acknowledged_by: person.id })
      .where('id', '=', alarm?.id ?? 0)
      .execute()
    await telling.clear(installation, ['b'])
    await telling.pass(20 * MINUTE, 10 * SECOND)
    assert.equal(next.mails().length, 0)
  })

  test('a next user who may not list the alarms is not told, and the list says so', async () => {
    const { installation, person } = await place()
    const stranger = await telling.person(await telling.organization(), {})
    await telling.wants(person, { escalate: { after: '5m', user_id: stranger.id } })
    const [alarm] = await telling.raise(installation)
    await telling.pass(6 * MINUTE, 10 * SECOND)
    assert.equal(stranger.mails().length, 0)
    const [last] = await telling.deliveries(installation, alarm?.id ?? 0)
    assert.equal(last, 'mail  failed: the next user may not list the alarms')
  })

  test('SMS, webhook, browsers and phones get it as well', async () => {
    const { organization, installation, person } = await place({}, { mobile: '+46 70-123' })
    const { registry, push, sms, hook } = telling
    const webhook = `${hook.url}/own?key=secret`
    await telling.wants(person, { channels: ['sms', 'push', 'webhook'], webhook })
    const { endpoint, keys } = push.subscribe()
    const subscription = { user_id: person.id, endpoint, ...keys, created: noon }
    await registry.insertInto('push_subscriptions').values(subscription).execute()
    const gone = { ...subscription, endpoint: `${push.url}/gone` }
    await registry.insertInto('push_subscriptions').values(gone).execute()
    const phone = { firebase_token: 'token-1', device_id: 'phone', user_id: person.id }
    await registry
      .insertInto('mobile_devices')
      .values({ ...phone, created: noon })
      .execute()
    const config = JSON.stringify({ url: `${hook.url}/phones` })
    await registry
      .insertInto('notification_executors')
      .values({
        ...{ organization_id: organization, type: 'push', name: 'Phones', config },
        ...{ secret: 'key', created: noon, updated: noon }
      })
      .execute()
    const [alarm] = await telling.raise(installation)
    await telling.pass(FIRST_MS)
    assert.equal(person.mails().length, 0)
    assert.deepEqual(JSON.parse(sms.received.at(-1)?.body ?? ''), {
      to: '+4670123',
      text: 'warning: Summer house: Too warm'
    })
    const [own] = hook.received.filter(({ url }) => url === '/own?key=secret')
    const body = JSON.parse(own?.body ?? '')
    assert.equal(body.alarms.length, 1)
    assert.deepEqual(body.alarms[0], {
      ...{ id: alarm?.id, rule_id: 1, installation_id: installation.id, topic: 'obj/t' },
      ...{ severity: 'warning', state: 'raised', raised_at: (alarm?.raised_at ?? 0) / 1000 },
      ...{ acknowledged_at: null, acknowledged_by: null, note: '', cleared_at: null },
      ...{ value: 26.5, message: 'Too warm' }
    })
    const [pushed] = push.pushed
    assert.deepEqual(
      [pushed?.claims.aud, pushed?.claims.sub],
      [push.url, 'mailto:caracal@example.org']
    )
    const known = await registry.selectFrom('push_keys').select('public_key').executeTakeFirst()
    assert.equal(pushed?.key, known?.public_key)
    const { title, total } = (pushed?.message ?? {}) as { title?: string; total?: number }
    assert.deepEqual([title, total], ['warning: Summer house: Too warm', 1])
    const [phones] = hook.received.filter(({ url }) => url === '/phones')
    assert.equal(phones?.headers['x-api-key'], 'key')
    assert.deepEqual(JSON.parse(phones?.body ?? '').tokens, ['token-1'])
    const left = await registry
      .selectFrom('push_subscriptions')
      .select('endpoint')
      .where('user_id', '=', person.id)
      .execute()
    assert.deepEqual(
      left.map((one) => one.endpoint),
      [endpoint]
    )
    assert.deepEqual((await telling.deliveries(installation, alarm?.id ?? 0)).sort(), [
      'push push sent',
      'sms +46 70-123 sent',
      `webhook ${hook.url} sent`
    ])
  })

  test('a message that the mail server does not take is tried again', async () => {
    const { installation, person } = await place()
    telling.mail.state.isRefusing = true
    const [alarm] = await telling.raise(installation)
    await telling.pass(FIRST_MS)
    assert.deepEqual(await telling.deliveries(installation, alarm?.id ?? 0), [
      `mail ${person.email} failed: the mail server did not take it`
    ])
    telling.mail.state.isRefusing = false
    await telling.pass(MINUTE, 5 * SECOND)
    assert.equal(person.mails().length, 1)
    assert.deepEqual(await telling.deliveries(installation, alarm?.id ?? 0), [
      `mail ${person.email} sent`
    ])
  })

  test('a webhook at an address that is not allowed is not called', async () => {
    const { installation, person } = await place()
    await telling.wants(person, { channels: ['webhook'], webhook: 'http://10.0.0.1/x' })
    const [alarm] = await telling.raise(installation)
    await telling.pass(FIRST_MS)
    assert.deepEqual(await telling.deliveries(installation, alarm?.id ?? 0), [
      'webhook http://10.0.0.1 failed: the webhook has an address that is not allowed'
    ])
  })

  test('above the messages of an hour everything is held, and told together', slow, async () => {
    const { organization, person } = await place()
    for (let i = 0; i < 40; i++) {
      const installation = await telling.installation({ organization_id: organization })
      await telling.raise(installation)
      await telling.pass(FIRST_MS, SECOND)
    }
    assert.equal(person.mails().length, 30)
    await telling.pass(HOUR, 10 * SECOND)
    assert.equal(person.mails().length, 31)
    assert.match(person.mails()[30]?.subject ?? '', /10 installations: 10 alarms/)
  })

  test('nothing is lost by a new start at any moment', async () => {
    const { installation, person } = await place()
    await telling.raise(installation)
    for (let i = 0; i < 20; i++) {
      telling.restart()
      await telling.pass(SECOND / 2)
    }
    assert.equal(person.mails().length, 1)
  })

  test('what a crash left half sent is sent again, but not without end', async () => {
    const { installation, person } = await place({ quiet: { from: '00:00', to: '23:59' } })
    const [alarm] = await telling.raise(installation)
    await telling.pass(FIRST_MS)
    const crash = (tries: number) =>
      telling.registry
        .updateTable('alarm_messages')
        .set({ tries, tried_at: telling.time.now, due_at: telling.time.now, is_pending: 1 })
        .where('user_id', '=', person.id)
        .execute()
    await crash(1)
    telling.restart()
    await telling.pass(SECOND)
    assert.equal(person.mails().length, 1)
    await crash(5)
    await telling.pass(SECOND)
    assert.equal(person.mails().length, 1)
    const [last] = await telling.deliveries(installation, alarm?.id ?? 0)
    assert.match(last ?? '', /failed: it was tried too often/)
  })

  test('a clock that is set back holds nothing up', async () => {
    const { installation, person } = await place()
    await telling.raise(installation)
    await telling.pass(FIRST_MS)
    telling.time.now = unixMs(telling.time.now - 3 * HOUR)
    await telling.raise(installation, [{ topic: 'obj/other' }])
    await telling.pass(FIRST_MS)
    assert.equal(person.mails().length, 2)
    telling.time.now = unixMs(telling.time.now + 3 * HOUR)
  })

  test('messages end with their alarms', async () => {
    const { installation, person } = await place()
    await telling.raise(installation)
    await telling.pass(FIRST_MS)
    await telling.registry
      .deleteFrom('alarms')
      .where('installation_id', '=', installation.id)
      .execute()
    setClock(telling.time.now + 2 * DAY)
    await telling.tick()
    const left = await telling.registry
      .selectFrom('alarm_messages')
      .select('id')
      .where('user_id', '=', person.id)
      .execute()
    assert.deepEqual(left, [])
  })
})
