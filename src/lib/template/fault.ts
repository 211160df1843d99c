/** Messages are cut, because a template can put long texts into them. */
const MAX_MESSAGE_LENGTH = 200

/** The only error that a template can cause, when it is parsed or when it runs. */
export class TemplateError extends Error {
  constructor(message: string) {
    super(
      message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}...` : message
    )
  }
}

/** The longest output, and the longest text in between, in characters. */
export const MAX_TEXT_LENGTH = 65_536

export function checkLength(length: number): void {
  if (length > MAX_TEXT_LENGTH)
    throw new TemplateError(`it writes more than ${MAX_TEXT_LENGTH} characters`)
}
