const MAX_NAME = 255
/** Control characters, what separates paths, and what makes text look another way round. */
const FORBIDDEN = /[\p{Cc}/\\\u202A-\u202E\u2066-\u2069]/u

/** Files are stored by their hash, so this is about whoever saves one under its name. */
export function fileNameFault(name: string): string | undefined {
  if (name === '') return 'filename must not be empty'
  if (name.length > MAX_NAME) return `filename must not have more than ${MAX_NAME} characters`
  if (FORBIDDEN.test(name)) return 'filename must not have slashes or control characters'
  return /^\.+$/.test(name) ? 'filename must not be only dots' : undefined
}

const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(; ?charset=[\w-]{1,50})?$/

/** What cannot be a media type is anything: bytes. */
export const mediaType = (given: string): string => {
  const type = given.trim().toLowerCase()
  return TYPE.test(type) ? type : 'application/octet-stream'
}
