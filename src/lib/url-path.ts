/**
 * Removes extra slashes, except in a metadata key. Everything after `/meta/` is the key, and some
 * clients do not encode it. It is encoded here, so that the router does not split it.
 */
export function withoutExtraSlashes(url: string): string {
  if (!url.includes('//') && !url.includes('/meta/')) return url
  const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(url) ?? []
  const [, owner = path, key = ''] = /^(.*?\/meta\/)(.+)$/s.exec(path) ?? []
  return owner.replace(/\/{2,}/g, '/') + key.replaceAll('/', '%2F') + query
}
