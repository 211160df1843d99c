import { isTooDeep } from '../lib/edge-config.ts'

/** Ids of a kind of object: those of the file, and those they have now. */
type Ids = ReadonlyMap<number, number>
export type IdMaps = Readonly<Record<'device' | 'function' | 'output', Ids>>

type Texts = Readonly<Record<string, string>>
type Json = Readonly<Record<string, unknown>>

/** So many references to other places are named; the rest is counted. */
const MAX_NAMED = 20
const MAX_NAME_CHARACTERS = 200

/** Topics of an installation begin with its client id. */
const OTHER_TOPIC = /^[1-9]\d{0,15}\/(?:obj|set|cmd|evt)\//

/** Metadata keys that hold the id of an object, as text. [ADR-0053] */
const idKeys: Readonly<Record<string, 'device' | 'function'>> = {
  device_id: 'device',
  function_id: 'function'
}

/** Puts references right when an installation gets another client id and its objects other ids. */
export class References {
  readonly #old: string
  readonly #new: string
  readonly #ids: IdMaps
  /** What refers to something that is not in the file, and stays as it was. */
  readonly outside: string[] = []
  outsideCount = 0

  constructor({ from, to }: { from: number; to: number }, ids: IdMaps) {
    this.#old = `${from}/`
    this.#new = `${to}/`
    this.#ids = ids
  }

  /** A topic or filter, or any text that may be one. `where` names its place in messages. */
  topic(text: string, where: string): string {
    if (text.startsWith(this.#old)) return this.#new + text.slice(this.#old.length)
    if (OTHER_TOPIC.test(text)) this.#note(`${where}: topic ${text}`)
    return text
  }

  /** `isWhole` is false if an id is not known yet: then ask again when all objects have theirs. */
  meta(
    map: Texts,
    where: string,
    isLast: boolean
  ): { map: Record<string, string>; isWhole: boolean } {
    let isWhole = true
    const entries = Object.entries(map).map(([key, value]): [string, string] => {
      const kind = Object.hasOwn(idKeys, key) ? idKeys[key] : undefined
      if (!kind || !/^[1-9]\d{0,15}$/.test(value)) return [key, this.topic(value, where)]
      const id = this.#ids[kind].get(Number(value))
      if (id !== undefined) return [key, String(id)]
      if (isLast) this.#note(`${where}: ${key} ${value}`)
      isWhole = false
      return [key, value]
    })
    return { map: Object.fromEntries(entries), isWhole }
  }

  texts(map: Texts, where: string): Record<string, string> {
    return Object.fromEntries(
      Object.entries(map).map(([key, value]) => [key, this.topic(value, where)])
    )
  }

  /** The configuration of an edge app. `appJson` says which of its fields hold ids. */
  config(appJson: string, config: Json, where: string): Json {
    if (isTooDeep(config)) return config
    const { input } = JSON.parse(appJson) as { input?: unknown }
    return this.#fields(isMap(input) ? input : {}, config, where)
  }

  #fields(fields: Json, config: Json, where: string): Json {
    return Object.fromEntries(
      Object.entries(config).map(([name, value]) => {
        const field = Object.hasOwn(fields, name) ? fields[name] : undefined
        return [name, this.#field(isMap(field) ? field : {}, value, `${where}, ${name}`)]
      })
    )
  }

  #field(field: Json, value: unknown, where: string): unknown {
    const type = String(field['type'])
    const selector = /^(?:single|multi)_(\w+)_selector$/.exec(type)
    if (selector) return this.#selected(selector[1] ?? '', value, where)
    if (type === 'repeat' && Array.isArray(value)) {
      const inner = isMap(field['input_fields']) ? field['input_fields'] : {}
      return value.map((one) => (isMap(one) ? this.#fields(inner, one, where) : one))
    }
    return this.#anywhere(value, where)
  }

  /** An id, a list of ids, or a map from ids to values. */
  #selected(what: string, value: unknown, where: string): unknown {
    if (Array.isArray(value)) return value.map((id) => this.#selectedId(what, id, where))
    if (isMap(value)) {
      return Object.fromEntries(
        Object.entries(value).map(([id, one]) => [
          String(this.#selectedId(what, id, where)),
          this.#anywhere(one, where)
        ])
      )
    }
    return this.#selectedId(what, value, where)
  }

  #selectedId(what: string, id: unknown, where: string): unknown {
    if (id === null || id === '') return id
    const kind = Object.hasOwn(selected, what) ? selected[what] : undefined
    const found = kind && this.#ids[kind].get(Number(id))
    if (found === undefined) this.#note(`${where}: ${what} ${String(id)}`)
    return found === undefined ? id : typeof id === 'string' ? String(found) : found
  }

  #anywhere(value: unknown, where: string): unknown {
    if (typeof value === 'string') return this.topic(value, where)
    if (Array.isArray(value)) return value.map((one) => this.#anywhere(one, where))
    if (!isMap(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([key, one]) => [key, this.#anywhere(one, where)])
    )
  }

  #note(text: string): void {
    const shown = text.slice(0, MAX_NAME_CHARACTERS)
    if (this.outside.includes(shown)) return
    this.outsideCount++
    if (this.outside.length < MAX_NAMED) this.outside.push(shown)
  }
}

const isMap = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The names of selectors in an app.json. */
const selected: Readonly<Record<string, keyof IdMaps>> = {
  function: 'function',
  functionx: 'function',
  device: 'device',
  devicex: 'device',
  notification_output: 'output'
}
