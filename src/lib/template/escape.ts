const HTML: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&#34;'],
  ["'", '&#39;']
])

/** [Go text/template] */
export const escapeHtml = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => HTML.get(char) ?? char)

/** [Go text/template] For text inside quotes in JavaScript. */
export const escapeJs = (text: string): string =>
  text
    .replace(/[\\'"]/g, (char) => `\\${char}`)
    .replace(
      /[<>&=\p{Cc}\u2028\u2029]/gu,
      (char) => `\\u${(char.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
    )

/** [Go net/url] `QueryEscape`. */
export const escapeQuery = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
    .replaceAll('%20', '+')
