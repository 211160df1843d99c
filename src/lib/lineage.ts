/** Kinds of ids that are never given out twice. Functions and devices are `object`. */
export const idKinds = ['organization', 'user', 'installation', 'object'] as const
export type IdKind = (typeof idKinds)[number]
export type Ids = Readonly<Record<IdKind, number>>

/** What a part (history, spool, queue, files) knows of the platform [ADR-0030]. */
export type Lineage = {
  /** The id of its platform; undefined until it is stored. */
  platform: string | undefined
  /** The highest ids it has seen. */
  reached: Ids
  /** No id above these was ever given out. */
  reserved: Ids
}

/** The same for the registry, which gives out the ids. */
export type RegistryLineage = {
  platform: string
  /** The highest ids that were given out. */
  reached: Ids
  /** How far history was asked to reserve ids. */
  reserved: Ids
  /** History knows this platform. */
  hasHistory: boolean
  /** The registry has no users yet. */
  isNew: boolean
}

/** `name` is its name in messages, with its place. */
export type Named<Part> = Part & { name: string }

export const idsOf = (idOf: (kind: IdKind) => number): Ids => ({
  organization: idOf('organization'),
  user: idOf('user'),
  installation: idOf('installation'),
  object: idOf('object')
})

export const noIds: Ids = idsOf(() => 0)
export const unknownLineage: Lineage = { platform: undefined, reached: noIds, reserved: noIds }

/** The greatest id of each kind. */
export const highest = (...all: readonly Ids[]): Ids =>
  idsOf((kind) => Math.max(0, ...all.map((ids) => ids[kind])))

/** Whether `ids` is higher than `other` in any kind. */
export const isBeyond = (ids: Ids, other: Ids): boolean =>
  idKinds.some((kind) => ids[kind] > other[kind])

/**
 * Why a part cannot be used with this registry; undefined when they belong together. A part without
 * a platform is accepted, unless it has seen ids that the registry has not given out.
 */
export function mismatch(
  registry: Named<RegistryLineage>,
  part: Named<Lineage>
): string | undefined {
  const knows = part.platform ?? registry.platform
  if (knows !== registry.platform) {
    return registry.isNew
      ? `${registry.name} is new, but ${part.name} belongs to platform ${shortId(knows)}${seen(part)}`
      : `${registry.name} is platform ${shortId(registry.platform)}, but ${part.name} belongs to platform ${shortId(knows)}`
  }
  const older = `${registry.name} is older than ${part.name}`
  if (isBeyond(part.reached, registry.reached)) {
    return `${older}: it has given out ${listed(registry.reached)}, but ${part.name} has seen ${listed(part.reached)}`
  }
  if (isBeyond(part.reserved, registry.reserved)) {
    return `${older}: it has reserved ${listed(registry.reserved)}, but ${part.name} has reserved ${listed(part.reserved)}`
  }
  return undefined
}

const seen = ({ reached }: Lineage): string =>
  isBeyond(reached, noIds) ? ` and has seen ${listed(reached)}` : ''

/**
 * Names a platform in messages. The whole id is secret: with it anybody could pose as the platform.
 */
export const shortId = (platform: string): string => platform.slice(0, 8)

/** A text such as `user 3, installation 7`. */
export const listed = (ids: Ids): string => {
  const used = idKinds.filter((kind) => ids[kind] > 0).map((kind) => `${kind} ${ids[kind]}`)
  return used.length > 0 ? used.join(', ') : 'no ids'
}
