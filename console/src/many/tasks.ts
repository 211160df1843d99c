import { create, type Place, removeKey, setType, writeKey } from '../modelx/api.ts'
import { nameOf } from '../modelx/rows.ts'
import type { Change, Creation } from './changes.ts'
import type { Task } from './work.ts'

/** Each key is written on its own, so that nothing that others wrote to other keys is lost. */
export function changeTask(place: Place, { model, type, meta }: Change): Task {
  const steps: ((silent: boolean) => Promise<unknown>)[] = [...meta].map(
    ([key, value]) =>
      (silent) =>
        value === undefined
          ? removeKey(place, model.id, key, silent)
          : writeKey(
              place,
              model.id,
              { key, value, isProtected: false },
              { isNew: !Object.hasOwn(model.meta, key), silent }
            )
  )
  if (type !== undefined) steps.push((silent) => setType(place, model.id, type, silent))
  return {
    name: nameOf(model),
    run: async () => {
      // Others are told once, with the last change.
      for (const [i, step] of steps.entries()) await step(i < steps.length - 1)
    }
  }
}

export const creationTask = (place: Place, { type, meta }: Creation): Task => ({
  name: meta['name'] || type,
  run: () => create(place, { type, meta })
})
