import { type MetricDescription, Metrics } from '../src/metrics.ts'
import { describeEmbedded, describeExternal } from '../src/platform/bus-metrics.ts'
import { type Described, describeState } from '../src/platform/metrics.ts'

/** Every metric of a platform, without starting one. */
export function metricsOf({
  hasBroker = true,
  hasTls = true
}: {
  hasBroker?: boolean
  hasTls?: boolean
} = {}): MetricDescription[] {
  const metrics = new Metrics()
  // Nothing is read before somebody asks for figures.
  const describe = () =>
    hasBroker ? describeEmbedded(metrics, nothing) : describeExternal(metrics, nothing)
  const tls = hasTls ? nothing : undefined
  describeState({ metrics, tls, bus: { describe } } as unknown as Described)
  return metrics.describe()
}

const nothing = {} as never

/** `mark` says that the page is generated; `written` is the page as it is now. */
export function metricsPage({ mark, written }: { mark: string; written: string }): string {
  // Node tells more about the process on Linux, where the page is written.
  if (process.platform !== 'linux') return written
  const all = metricsOf()
  const names = (metrics: MetricDescription[]) => new Set(metrics.map(({ name }) => name))
  const [external, plain] = [metricsOf({ hasBroker: false }), metricsOf({ hasTls: false })]
  const [here, there, withoutTls] = [names(all), names(external), names(plain)]
  const condition = (name: string) => {
    if (!withoutTls.has(name) && here.has(name)) return 'with TLS'
    if (!there.has(name)) return 'with the embedded broker'
    return here.has(name) ? '' : 'with an external broker'
  }
  const row = ({ name, type, labels, help }: MetricDescription) =>
    `| \`${name}\` | ${type} | ${labels.map(code).join(', ')} | ${help.replace(/\.$/, '')} | ${condition(name)} |`
  const rows = [...all, ...external.filter(({ name }) => !here.has(name))]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map((metric) => ({ isOurs: metric.name.startsWith('caracal_'), text: row(metric) }))
  const table = (isOurs: boolean) => [
    '| name | type | labels | meaning | only |',
    '|---|---|---|---|---|',
    ...rows.filter((one) => one.isOurs === isOurs).map(({ text }) => text)
  ]
  return [
    '# Metrics',
    '',
    mark,
    '',
    '`GET /metrics` has these figures for Prometheus. [operate/monitoring.md](operate/monitoring.md) says how to read them, what to watch,',
    'and how to install the dashboard and the alerts. Counters start at 0 with the process. A gauge is `NaN` if it cannot be read now.',
    'Each node has its own figures.',
    '',
    'Nothing that a tenant creates or names becomes a label: `route` is the pattern of a route, and `tenant` is an organization directly below the top, at most three for each quota.',
    '',
    ...table(true),
    '',
    '## Of the process',
    '',
    ...table(false),
    ''
  ].join('\n')
}

const code = (name: string) => `\`${name}\``
