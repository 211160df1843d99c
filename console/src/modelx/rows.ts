import type { Kind, Model } from './api.ts'

export const columns = ['name', 'type', 'room', 'device', 'topic', 'keys'] as const
export type Column = (typeof columns)[number]
export type Sort = { column: Column; isDown: boolean }

export type Line = {
  model: Model
  name: string
  room: string
  /** Of a function: the name of its device. Of a device: how many functions it has. */
  device: string
  topic: string
  keys: number
}

export const nameOf = ({ meta, type, id }: Model): string => meta.name || `${type} ${id}`

/** Metadata that often tells which device it is. */
const DEVICE_KEYS = ['eui', 'mac', 'ieee_address', 'serial', 'ip', 'manufacturer', 'model']

export function linesOf(
  kind: Kind,
  models: readonly Model[],
  others: { devices: readonly Model[]; functions: readonly Model[] }
): Line[] {
  const deviceNames = new Map(others.devices.map((one) => [String(one.id), nameOf(one)]))
  const counts = new Map<string, number>()
  for (const { meta } of others.functions) {
    const { device_id = '' } = meta
    counts.set(device_id, (counts.get(device_id) ?? 0) + 1)
  }
  return models.map((model) => {
    const { meta, protected_meta = {} } = model
    const isFunction = kind === 'functions'
    const known = DEVICE_KEYS.flatMap((key) => meta[key] || [])
    return {
      model,
      name: nameOf(model),
      room: meta.room ?? '',
      device: isFunction
        ? (deviceNames.get(meta.device_id ?? '') ?? '')
        : String(counts.get(String(model.id)) ?? 0),
      topic: isFunction ? (meta.topic_read ?? meta.topic_write ?? '') : known.join(' · '),
      keys: Object.keys(meta).length + Object.keys(protected_meta).length
    }
  })
}

export type Wanted = { text: string; type: string | undefined; meta: readonly string[] }

export function wantedLines(lines: readonly Line[], { text, type, meta }: Wanted): Line[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const filters = meta.map(readFilter)
  return lines.filter(({ model, name, device }) => {
    if (type !== undefined && model.type !== type) return false
    if (!filters.every((matches) => matches(model))) return false
    if (words.length === 0) return true
    const all = [name, model.type, device, model.id, ...Object.values(model.meta)]
    const whole = all.join('\n').toLowerCase()
    return words.every((word) => whole.includes(word))
  })
}

/** `room=hall*`: the value with wildcards. `room`: the key is there. */
function readFilter(filter: string): (model: Model) => boolean {
  const cut = filter.indexOf('=')
  const key = (cut < 0 ? filter : filter.slice(0, cut)).trim()
  const parts = cut < 0 ? ['', ''] : filter.slice(cut + 1).split('*')
  const pattern = new RegExp(`^${parts.map(escaped).join('[^]*')}$`, 'i')
  return ({ meta, protected_meta = {} }) =>
    [meta, protected_meta].some((map) => Object.hasOwn(map, key) && pattern.test(map[key] ?? ''))
}

const escaped = (text: string): string => text.trim().replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

export const readSort = (text: string): Sort => ({
  column: columns.find((one) => one === text.replace(/^-/, '')) ?? 'name',
  isDown: text.startsWith('-')
})

export function sorted(lines: readonly Line[], { column, isDown }: Sort, language: string): Line[] {
  const { compare } = new Intl.Collator(language, { numeric: true, sensitivity: 'base' })
  const textOf = (line: Line) =>
    column === 'type' ? line.model.type : column === 'keys' ? String(line.keys) : line[column]
  const by = (a: Line, b: Line): number => {
    const [x, y] = [textOf(a), textOf(b)]
    // What has no value stands last in both directions.
    if ((x === '') !== (y === '')) return x === '' ? 1 : -1
    return (isDown ? -1 : 1) * compare(x, y) || compare(a.name, b.name) || a.model.id - b.model.id
  }
  return lines.toSorted(by)
}
