/** What is wrong is said in few words, whatever the template holds. */
const MAX_MESSAGE = 200

/** The only error a template leads to, while it is read or while it runs. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}...` : message)
  }
}

/** Characters of what comes out, and of any text on the way. */
export const MAX_TEXT = 65_536

export function checkLength(length: number): void {
  if (length > MAX_TEXT) throw new TemplateError(`it makes more than ${MAX_TEXT} characters`)
}
