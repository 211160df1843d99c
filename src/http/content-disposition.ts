/**
 * `; name=value`: in double quotes written twice (one client does this), in quotes, or without
 * quotes.
 */
const PARAMETER = /;\s*([\w-]+\*?)\s*=\s*(?:""([^"]+)""|"((?:[^"\\]|\\.)*)"|([^;"\s]*))/g

/** The parameters of the header. Undoes how browsers, curl and Go escape quotes. */
export function dispositionParameters(header: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const [, name = '', doubled, quoted, bare] of header.matchAll(PARAMETER)) {
    const key = name.toLowerCase()
    if (found.has(key)) continue
    found.set(key, doubled ?? (quoted === undefined ? (bare ?? '') : unquoted(quoted)))
  }
  const extended = decoded(found.get('filename*') ?? '')
  if (extended !== undefined) found.set('filename', extended)
  return found
}

const percents: Readonly<Record<string, string>> = { '%22': '"', '%0D': '\r', '%0A': '\n' }

const unquoted = (text: string): string =>
  text
    .replace(/\\(["\\])/g, '$1')
    .replace(/%(?:22|0D|0A)/gi, (code) => percents[code.toUpperCase()] ?? code)

/** [RFC 5987] `UTF-8''a%20b`. */
function decoded(text: string): string | undefined {
  const [, encoded] = /^utf-8'[^']*'(.+)$/i.exec(text) ?? []
  try {
    return encoded && decodeURIComponent(encoded)
  } catch {
    return undefined
  }
}
