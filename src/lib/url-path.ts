/**
 * Extra slashes mean nothing, but in a metadata key: everything after `/meta/` is the key, which some
 * clients send as it is. Encoded, no router takes one for its own.
 */
export function withoutExtraSlashes(url: string): string {
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? []
  const [, owner = path, key = ''] = /^(.*?\/meta\/)(.+)$/s.exec(path) ?? []
  return owner.replace(/\/{2,}/g, '/') + key.replaceAll('/', '%2F') + query
}
