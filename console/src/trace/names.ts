import { useQuery } from '@tanstack/react-query'
import { mappings } from '../mapping/api.ts'
import { nameOf } from '../modelx/rows.ts'
import { devices, functions, me, rights } from '../queries.ts'
import { rulesOf } from '../rule/api.ts'
import { users } from '../site/api.ts'
import { nameOf as nameOfUser } from '../site/names.ts'
import type { Entry } from './api.ts'

/** The names of users that the caller sees, and the caller. */
export function useActors() {
  const { data = [] } = useQuery(users)
  const own = useQuery(me).data?.id ?? 0
  return { names: new Map(data.map((one) => [one.id, nameOfUser(one)])), me: own, all: data }
}

/** How the object of an entry is called now. Undefined: it is gone, or it has no name. */
export function useObjectNames(id: number): (entry: Entry) => string | undefined {
  const may = useQuery(rights(id)).data
  const ask = (name: string) => ({ enabled: may?.[name] === true })
  const someFunctions = useQuery({ ...functions(id), ...ask('functionx/list') }).data
  const someDevices = useQuery({ ...devices(id), ...ask('devicex/list') }).data
  const owner = { kind: 'installation', id } as const
  const someRules = useQuery({ ...rulesOf(owner), ...ask('rule/list') }).data
  const someMappings = useQuery({
    ...mappings({ kind: 'installation', id: id }),
    ...ask('mapping/list')
  }).data
  return ({ object_type, object_id }) => {
    const isIt = (one: { id: number }) => one.id === object_id
    if (object_type === 'function' || object_type === 'device') {
      const found = (object_type === 'function' ? someFunctions : someDevices)?.find(isIt)
      return found && nameOf(found)
    }
    if (object_type === 'rule') return someRules?.find(isIt)?.name
    if (object_type === 'mapping') return someMappings?.find(isIt)?.name
    return undefined
  }
}
