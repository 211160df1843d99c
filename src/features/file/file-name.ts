const MAX_NAME_LENGTH = 255
/** Control characters, path separators, and characters that change the direction of text. */
const FORBIDDEN = /[\p{Cc}/\\\u202A-\u202E\u2066-\u2069]/u

/** Files are stored by their hash. This protects the person who saves a file under its name. */
export function fileNameFault(name: string): string | undefined {
  if (name === '') return 'filename must not be empty'
  if (name.length > MAX_NAME_LENGTH)
    return `filename must not have more than ${MAX_NAME_LENGTH} characters`
  if (FORBIDDEN.test(name)) return 'filename must not have slashes or control characters'
  return /^\.+$/.test(name) ? 'filename must not be only dots' : undefined
}

const TYPE = /^[\w!#$&^.+-]{1,100}\/[\w!#$&^.+-]{1,100}(; ?charset=[\w-]{1,50})?$/

/** Text that is not a media type becomes the type for arbitrary bytes. */
export const mediaType = (given: string): string => {
  const type = given.trim().toLowerCase()
  return TYPE.test(type) ? type : 'application/octet-stream'
}
