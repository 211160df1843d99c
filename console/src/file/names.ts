export const MAX_FILE = 31_457_280

const MAX_NAME_LENGTH = 255
/** Control characters, slashes, and characters that change the direction of text. */
const FORBIDDEN = /[\p{Cc}/\\\u202A-\u202E\u2066-\u2069]/u

/** As the platform checks it. */
export const isFileName = (name: string): boolean =>
  name !== '' && name.length <= MAX_NAME_LENGTH && !FORBIDDEN.test(name) && !/^\.+$/.test(name)

type Named = { name: string; mime: string }

/** Files whose name or type has the text, by name. */
export const shownFiles = <T extends Named>(all: readonly T[], text: string, locale: string): T[] =>
  all
    .filter(({ name, mime }) =>
      `${name}\n${mime}`.toLowerCase().includes(text.trim().toLowerCase())
    )
    .sort((a, b) => a.name.localeCompare(b.name, locale, { numeric: true }))
