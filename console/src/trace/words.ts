import type { trace } from '../texts/trace-en.ts'

type Entry = {
  action: string
  object_type: string
  object_id: number
  user_id: number
  description: string
}
type Words = typeof trace

/** The end of a description says what did it, if it was no user: `, by gateway 12`. */
const BY = /, by (\w+) (\d+)$/

const at = <T>(map: Readonly<Record<string, T>>, key: string): T | undefined =>
  Object.hasOwn(map, key) ? map[key] : undefined

/** The words of the description before the object: `changed metadata of`. */
export function verbOf({ description, object_type, object_id }: Entry): string {
  const kind = object_type.replaceAll('_', ' ')
  const subject = object_id === 0 ? kind : `${kind} ${object_id}`
  const text = description.replace(BY, '')
  const verb = text.endsWith(subject) ? text.slice(0, -subject.length).trim() : text
  return /^deleted \d+ values?\b/.test(verb) ? 'deleted values of' : verb
}

/** `Changed metadata of the function Hall`. `name` is missing if the object is gone. */
export function sentenceOf(entry: Entry, name: string | undefined, t: Words): string {
  const { action, object_type, object_id } = entry
  const the = at(t.the, object_type) ?? object_type
  const isItself = object_type === 'installation' || object_type === 'gateway'
  const what = isItself || object_id === 0 ? the : `${the} ${name ?? object_id}`
  const verb = at(t.verbs, verbOf(entry))
  if (verb) return verb(what)
  return at(t.done, action)?.(what) ?? entry.description
}

/** Who did it. `names` has the users that the caller sees; `me` is the caller. */
export function actorOf(
  { user_id, description }: Entry,
  { names, me, t }: { names: ReadonlyMap<number, string>; me: number; t: Words }
): string {
  if (user_id !== 0) {
    const name = names.get(user_id) ?? t.unknownUser(user_id)
    return user_id === me ? t.you(name) : name
  }
  const [, kind, id] = BY.exec(description) ?? []
  return kind === 'gateway' && id ? t.gateway(id) : t.noUser
}
