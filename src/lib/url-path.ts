/**
 * Extra slashes mean nothing, but in a metadata key: everything after `/meta/` is the key, which some
 * clients send as it is.
 */
export function withoutExtraSlashes(url: string): string {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? []
  const [, owner, key = ''] = /^(.*?\/meta\/)(.+)$/s.exec(path) ?? []
  if (owner !== undefined) return owner.replace(/\/{2,}/g, '/') + key + query
  return path.replace(/\/{2,}/g, '/').replace(/(?<=.)\/$/, '') + query
}
