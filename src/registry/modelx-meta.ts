import { type MetaKey, type MetaStore, requireFewKeys } from './meta.ts'
import { changeModelx, findModelx, type ModelxRef, type ModelxRow } from './modelx.ts'
import type { Registry } from './tables.ts'

type Maps = { meta: Record<string, string>; protected_meta: Record<string, string> }

export const mapsOf = ({ meta, protected_meta }: ModelxRow): Maps => ({
  meta: JSON.parse(meta),
  protected_meta: JSON.parse(protected_meta)
})

/** The metadata keys of a function or device; each write is one change of the object. */
export function modelxMeta(registry: Registry, ref: ModelxRef, now: () => number): MetaStore {
  /** False when the key is not as `was` says; undefined means that the key must not exist. */
  async function write(key: string, was: MetaKey | undefined, next: MetaKey | undefined) {
    let isWritten = false
    await changeModelx(
      registry,
      ref,
      (object) => {
        const maps = mapsOf(object)
        isWritten = keyIn(maps, key)?.protected === was?.protected
        // Removing a key cannot make the metadata larger, so no check is needed.
        const textsOf = next ? metaTexts : jsonTexts
        return isWritten ? textsOf(withKey(maps, key, next)) : undefined
      },
      now()
    )
    return isWritten
  }
  return {
    async find(key) {
      const object = await findModelx(registry, ref)
      return object && keyIn(mapsOf(object), key)
    },
    insert: (key, meta) => write(key, undefined, meta),
    update: (key, { was, now }) => write(key, was, now),
    remove: (key, was) => write(key, was, undefined)
  }
}

function keyIn({ meta, protected_meta }: Maps, key: string): MetaKey | undefined {
  const isProtected = Object.hasOwn(protected_meta, key)
  if (!isProtected && !Object.hasOwn(meta, key)) return undefined
  return { value: (isProtected ? protected_meta : meta)[key] ?? '', protected: isProtected }
}

function withKey({ meta, protected_meta }: Maps, key: string, next: MetaKey | undefined): Maps {
  const put = (map: Record<string, string>, isHere: boolean) => {
    // An update keeps the position of the key.
    if (isHere && next) return { ...map, [key]: next.value }
    const { [key]: _, ...others } = map
    return others
  }
  return {
    meta: put(meta, next?.protected === false),
    protected_meta: put(protected_meta, next?.protected === true)
  }
}

/** Metadata in the form that the registry stores. */
export function metaTexts(maps: Maps) {
  requireFewKeys(Object.keys(maps.meta).length + Object.keys(maps.protected_meta).length)
  return jsonTexts(maps)
}

const jsonTexts = ({ meta, protected_meta }: Maps) => ({
  meta: JSON.stringify(meta),
  protected_meta: JSON.stringify(protected_meta)
})
