import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { parse, stringify } from 'yaml'
import { metricsOf } from '../../tools/metrics-page.ts'
import { makeCertificate, tlsSettings } from '../support/certificate.ts'
import { eventually } from '../support/eventually.ts'
import { ADMIN, startTestPlatform } from '../support/platform.ts'
import { temporaryDirectory } from '../support/process.ts'
import { startProgram } from '../support/program.ts'
import {
  type Prometheus,
  promtool,
  startPrometheus,
  withoutPrometheus
} from '../support/prometheus.ts'

const root = new URL('../..', import.meta.url).pathname
const alertsFile = join(root, 'deploy/grafana/alerts.yaml')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

type Panel = {
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}
type Variable = { name: string; definition?: string }
const dashboard = JSON.parse(read('deploy/grafana/dashboard.json')) as {
  panels: Panel[]
  annotations: { list: { expr: string }[] }
  templating: { list: Variable[] }
}
type Rule = { alert: string; expr: string; annotations: Record<string, string> }
const { groups } = parse(read('deploy/grafana/alerts.yaml')) as { groups: { rules: Rule[] }[] }
const alerts = groups.flatMap(({ rules }) => rules)

/** The metrics in an expression, with their labels. */
const selectorsOf = (expression: string): string[] =>
  expression.match(/\b(?:caracal|nodejs|process)_\w+(?:\{[^}]*\})?|\bup\{[^}]*\}/g) ?? []

describe('the dashboard', () => {
  test('has rows for health, ingest, HTTP, MQTT, storage and tenants', () => {
    const rows = dashboard.panels.filter(({ type }) => type === 'row')
    assert.deepEqual(
      rows.map(({ title }) => title),
      ['Health', 'Ingest', 'HTTP', 'MQTT', 'Storage', 'Tenants']
    )
  })

  test('is laid out without gaps in a line and without panels that overlap', () => {
    const lines = Map.groupBy(dashboard.panels, ({ gridPos }) => gridPos.y)
    let next = 0
    for (const [y, panels] of lines) {
      assert.equal(y, next, `the line at ${y}`)
      let x = 0
      for (const { gridPos, title } of panels) {
        assert.deepEqual([gridPos.x, gridPos.h], [x, panels[0]?.gridPos.h], title)
        x += gridPos.w
      }
      assert.equal(x, 24, `the line at ${y}`)
      next = y + (panels[0]?.gridPos.h ?? 0)
    }
  })

  test('shows only metrics that there are, and so do the alerts', () => {
    const known = new Set(
      metricsOf().flatMap(({ name, type }) =>
        type === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name]
      )
    )
    const expressions = [...dashboard.panels, { targets: alerts }].flatMap(
      ({ targets = [] }) => targets
    )
    const names = expressions
      .flatMap(({ expr }) => selectorsOf(expr))
      .map((selector) => selector.replace(/\{.*/, ''))
    assert(names.length > 60)
    assert.deepEqual(
      names.filter((name) => name !== 'up' && !known.has(name)),
      []
    )
  })
})

describe('the alerts', { skip: withoutPrometheus }, () => {
  const job = 'job="caracal",instance="a"'
  /** For each alert, series of a platform in this trouble, a value for each minute. */
  const troubles: Record<string, Record<string, string>> = {
    CaracalDown: { [`up{${job}}`]: '0x120' },
    CaracalNotReady: { [`caracal_ready{${job}}`]: '0x120' },
    CaracalRestarts: { [`process_start_time_seconds{${job}}`]: '0+1x120' },
    CaracalDiskNearReserve: {
      [`caracal_disk_free_bytes{${job}}`]: '1900x120',
      [`caracal_disk_reserve_bytes{${job}}`]: '1000x120'
    },
    CaracalSpoolWaits: { [`caracal_spool_oldest_sample_age_seconds{${job}}`]: '0+60x120' },
    CaracalNoSamples: { [`caracal_newest_sample_age_seconds{${job}}`]: '0+60x120' },
    CaracalServerErrors: { [`caracal_http_faults_total{${job}}`]: '0x115 1x5' },
    CaracalSlow: { [`nodejs_eventloop_lag_p99_seconds{${job}}`]: '0.2x120' },
    CaracalSignInsFail: {
      [`caracal_sign_ins_failed_total{${job},over="http",reason="refused"}`]: '0+20x120'
    },
    CaracalMessagesRefused: {
      [`caracal_refused_total{${job},reason="not json"}`]: '0+60x120'
    },
    CaracalMqttDropsMessages: {
      [`caracal_mqtt_dropped_total{${job},reason="queue full"}`]: '0x110 5x10'
    },
    CaracalMailsFail: {
      [`caracal_letters_total{${job},kind="mail",outcome="failed"}`]: '0x100 1x20'
    },
    CaracalNotificationsFail: {
      [`caracal_notifications_total{${job},outcome="sent"}`]: '0+1x120',
      [`caracal_notifications_total{${job},outcome="late"}`]: '0+2x120'
    },
    CaracalSchedulesFail: {
      [`caracal_schedule_runs_total{${job},outcome="failed"}`]: '0x110 1x10'
    },
    CaracalCertificateEnds: {
      [`caracal_tls_certificate_expiry_timestamp_seconds{${job}}`]: '604800x120'
    },
    CaracalQuotaNearlyUsed: {
      [`caracal_quota_share{${job},quota="topics",tenant="organization 7"}`]: '0.9x120'
    },
    CaracalHistoryOverBudget: { [`caracal_history_budget_excess_bytes{${job}}`]: '1x120' },
    CaracalBackupFails: { [`caracal_backup_failures_total{${job}}`]: '0x100 1x20' },
    CaracalBackupOld: {
      [`caracal_backup_last_success_timestamp_seconds{${job}}`]: '-200000x120'
    }
  }
  /** A platform that is well: the same series with other values. */
  const well: Record<string, string> = {
    [`up{${job}}`]: '1x120',
    [`caracal_ready{${job}}`]: '1x120',
    [`process_start_time_seconds{${job}}`]: '7x120',
    [`caracal_disk_free_bytes{${job}}`]: '9000x120',
    [`caracal_disk_reserve_bytes{${job}}`]: '1000x120',
    [`caracal_spool_oldest_sample_age_seconds{${job}}`]: '1x120',
    [`caracal_newest_sample_age_seconds{${job}}`]: '5x120',
    [`caracal_http_faults_total{${job}}`]: '0x120',
    [`nodejs_eventloop_lag_p99_seconds{${job}}`]: '0.01x120',
    [`caracal_sign_ins_failed_total{${job},over="http",reason="refused"}`]: '0+1x120',
    [`caracal_refused_total{${job},reason="not json"}`]: '0+1x120',
    [`caracal_refused_total{${job},reason="blacklisted"}`]: '0+900x120',
    [`caracal_mqtt_dropped_total{${job},reason="queue full"}`]: '0x120',
    [`caracal_mqtt_dropped_total{${job},reason="forbidden"}`]: '0+9x120',
    [`caracal_letters_total{${job},kind="mail",outcome="failed"}`]: '0x120',
    [`caracal_notifications_total{${job},outcome="sent"}`]: '0+9x120',
    [`caracal_notifications_total{${job},outcome="late"}`]: '0+1x120',
    [`caracal_schedule_runs_total{${job},outcome="failed"}`]: '0x120',
    [`caracal_tls_certificate_expiry_timestamp_seconds{${job}}`]: '9000000x120',
    [`caracal_quota_share{${job},quota="topics",tenant="organization 7"}`]: '0.5x120',
    [`caracal_history_budget_excess_bytes{${job}}`]: '0x120',
    [`caracal_backup_failures_total{${job}}`]: '0x120',
    [`caracal_backup_last_success_timestamp_seconds{${job}}`]: '0+60x120'
  }

  test('are rules that Prometheus accepts, and each says what to do', () => {
    promtool(['check', 'rules', alertsFile])
    for (const { alert, annotations } of alerts) {
      assert(annotations['summary'] && annotations['description'], alert)
    }
  })

  test('fire, each in its trouble, and none while all is well', () => {
    assert.deepEqual(Object.keys(troubles).sort(), alerts.map(({ alert }) => alert).sort())
    const input = (series: Record<string, string>) =>
      Object.entries(series).map(([series, values]) => ({ series, values }))
    const firing = (alert: string, samples: object[]) => ({
      ...{ expr: `count(ALERTS{alertstate="firing"${alert}})`, eval_time: '119m' },
      exp_samples: samples
    })
    const cases = Object.entries(troubles).map(([alert, series]) => ({
      interval: '1m',
      input_series: input(series),
      promql_expr_test: [firing(`,alertname="${alert}"`, [{ labels: '{}', value: 1 }])]
    }))
    const calm = { interval: '1m', input_series: input(well), promql_expr_test: [firing('', [])] }
    const file = join(temporaryDirectory(), 'alerts-test.yaml')
    writeFileSync(file, stringify({ rule_files: [alertsFile], tests: [...cases, calm] }))
    promtool(['test', 'rules', file])
  })
})

test('a Prometheus that scrapes two nodes answers every query of the dashboard and knows every series of the alerts', {
  skip: withoutPrometheus
}, async (t) => {
  const certificates = temporaryDirectory()
  makeCertificate(certificates, 'caracal')
  const [platform, overTls] = await Promise.all([
    startTestPlatform(),
    startProgram({
      CARACAL_DATA_DIR: temporaryDirectory(),
      CARACAL_ADMIN_EMAIL: ADMIN.email,
      CARACAL_ADMIN_PASSWORD: ADMIN.password,
      ...tlsSettings(certificates)
    })
  ])
  t.after(() => Promise.all([platform.stop(), overTls.stop()]))
  const { world } = platform
  const { json } = await world.request('POST /api/v2/user/me/security/token', {
    as: world.admin,
    body: { name: 'prometheus', permissions: ['metrics/read'] }
  })
  const { token } = json as { token: string }
  const { text } = await world.request('GET /metrics', { as: { token } })
  assert.equal(promtool(['check', 'metrics'], text), '', 'promtool finds nothing to improve')

  const { installation, user } = await world.site(['mqtt/publish/all'])
  await world.publish(user, `${installation.client_id}/obj/x`, { value: 1 })
  const prometheus = await startPrometheus(
    t,
    configFor({ token, http: new URL(platform.url).host, https: new URL(overTls.url).host })
  )
  await eventually(async () => {
    const [up, scrapes] = await Promise.all([
      prometheus.query('up == 1'),
      prometheus.query('min(count_over_time(up[1m]))')
    ])
    assert.equal(up.length, 2)
    assert(Number(scrapes[0]?.value[1]) >= 4, 'rates need several scrapes')
  })

  for (const { title, targets = [] } of dashboard.panels) {
    for (const { expr } of targets) await isAnswered(prometheus, expr, title)
  }
  for (const { expr } of dashboard.annotations.list) {
    await isAnswered(prometheus, expr.replace(/ > 0$/, ''), 'annotation')
  }
  for (const { name, definition } of dashboard.templating.list) {
    if (!definition) continue
    const [, metric = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(definition) ?? []
    const found = await prometheus.query(`group by (${label}) (${filled(metric)})`)
    assert.equal(found.length, 2, name)
  }
  for (const { alert, expr } of alerts) {
    const selectors = selectorsOf(expr)
    assert(selectors.length > 0, alert)
    for (const selector of selectors) {
      assert((await prometheus.query(selector)).length > 0, `${alert}: ${selector}`)
    }
  }
  await eventually(async () => {
    const { groups } = await prometheus.get<{ groups: { rules: { health: string }[] }[] }>('rules')
    const health = groups.flatMap(({ rules }) => rules.map((rule) => rule.health))
    assert.deepEqual(health, Array(alerts.length).fill('ok'))
  })
})

/** As deploy/grafana/prometheus.yaml, but for these nodes and more often. */
function configFor({ token, http, https }: { token: string; http: string; https: string }): string {
  const config = parse(read('deploy/grafana/prometheus.yaml')) as {
    global: object
    rule_files: string[]
    scrape_configs: Record<string, unknown>[]
  }
  const directory = temporaryDirectory()
  const key = join(directory, 'key')
  writeFileSync(key, token)
  const [first] = config.scrape_configs
  config.global = { scrape_interval: '500ms', scrape_timeout: '500ms', evaluation_interval: '1s' }
  config.rule_files = [alertsFile]
  config.scrape_configs = [
    {
      ...first,
      authorization: { credentials_file: key },
      static_configs: [{ targets: [http] }]
    },
    {
      job_name: 'caracal-tls',
      scheme: 'https',
      tls_config: { insecure_skip_verify: true },
      basic_auth: { username: ADMIN.email, password: ADMIN.password },
      static_configs: [{ targets: [https] }]
    }
  ]
  const file = join(directory, 'prometheus.yaml')
  writeFileSync(file, stringify(config))
  promtool(['check', 'config', file])
  return file
}

/** With all jobs and nodes, and the shortest time that has several scrapes. */
const filled = (expression: string): string =>
  expression
    .replaceAll('$job', '.*')
    .replaceAll('$instance', '.*')
    .replaceAll('$__rate_interval', '10s')

async function isAnswered(prometheus: Prometheus, expr: string, title: string): Promise<void> {
  const found = await prometheus.query(filled(expr))
  assert(found.length > 0, `${title}: no series for ${expr}`)
  const isNumber = found.some(({ value: [, figure] }) => Number.isFinite(Number(figure)))
  assert(isNumber, `${title}: no figure for ${expr}`)
}
