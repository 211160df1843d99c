/** The only error that knows HTTP. `cause` goes to the log, never to the client. */
export class ApiError extends Error {
  readonly statusCode: number
  readonly headers: Readonly<Record<string, string>>
  /** More fields of the answer. */
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    statusCode: number,
    message: string,
    { headers = {}, details = {}, ...options }: ErrorOptions & Partial<Extras> = {}
  ) {
    super(message, options)
    this.statusCode = statusCode
    this.headers = headers
    this.details = details
  }
}
type Extras = Pick<ApiError, 'headers' | 'details'>

export const badRequest = (message: string) => new ApiError(400, message)
export const conflict = (message: string) => new ApiError(409, message)
export const unauthorized = () => new ApiError(401, 'Unauthorized')
export const forbidden = () => new ApiError(403, 'Forbidden')
/** What the caller would need: any of these permissions, on this object. [ADR-0070] */
export type Needed = { permissions: readonly string[]; object?: { kind: string; id: unknown } }
export const lacking = (needed: Needed) => new ApiError(403, 'Forbidden', { details: needed })
/** [ADR-0062] */
export const onlyMqtt = () =>
  new ApiError(403, 'This key or credential has a mount: it is for MQTT only')
/** Only for a caller who gave the right password. */
export const noMobileNumber = () =>
  new ApiError(401, 'A second factor is required, but the account has no mobile number')
export const notFound = () => new ApiError(404, 'Not found')
/** [ADR-0069] */
export const changedMeanwhile = () =>
  new ApiError(412, 'It was changed since it was read: read it again')
export const tooSlow = () => new ApiError(408, 'The upload takes too long')
/** The connection cannot be used again. */
export const stalled = () =>
  new ApiError(408, 'The body arrives too slowly', { headers: { connection: 'close' } })
export const payloadTooLarge = () => new ApiError(413, 'Body too large')
export const bodyTooIntricate = (most: number) =>
  new ApiError(413, `body must not have more than ${most} quotes and brackets`)
export const uriTooLong = () => new ApiError(414, 'URI too long')
export const headersTooLarge = () => new ApiError(431, 'Header fields too large')
export const duplicateKey = () => new ApiError(409, 'duplicate key')
export const tooManySms = (retryAfter: number) =>
  new ApiError(429, 'Too many text messages', { headers: { 'retry-after': String(retryAfter) } })
export const tooManyTries = (retryAfter: number) =>
  new ApiError(429, 'Too many sign-in tries', { headers: { 'retry-after': String(retryAfter) } })
export const tooManyValues = (why: string, retryAfter: number) =>
  new ApiError(429, why, { headers: { 'retry-after': String(retryAfter) } })
export const tooManyCommands = (whose: 'installation' | 'account', most: number) =>
  new ApiError(429, `Too many commands at once: an ${whose} has at most ${most} waiting`, {
    headers: { 'retry-after': '10' }
  })
export const commandNotSent = (cause: unknown) =>
  new ApiError(503, 'The command could not be sent', { cause })
/** The device has the command, or will not get it any more. */
export const noAnswer = (seconds: number) => new ApiError(504, `No answer within ${seconds} s`)
export const answerTooLarge = (most: number) =>
  new ApiError(502, `The answer has more than ${most} bytes`)
export const tooManyAtOnce = () =>
  new ApiError(429, 'Too many password checks at once', { headers: { 'retry-after': '1' } })
export const tooManyRegistrations = (retryAfter: number) =>
  new ApiError(429, 'Too many registrations', { headers: { 'retry-after': String(retryAfter) } })
export const tooManyChanges = (retryAfter: number) =>
  new ApiError(429, 'Too many account changes', {
    headers: { 'retry-after': String(retryAfter) }
  })
export const tooManyNotifications = (retryAfter: number) =>
  new ApiError(429, 'Too many notifications', { headers: { 'retry-after': String(retryAfter) } })
export const certificatesBusy = () =>
  new ApiError(503, 'Too many certificates at once', { headers: { 'retry-after': '10' } })
export const tooManyCertificates = (most: number) =>
  new ApiError(409, `an installation has at most ${most} certificates in use: revoke one first`)
export const executorsBusy = () =>
  new ApiError(503, 'Too many notifications at once', { headers: { 'retry-after': '10' } })
/** Says how the call ended, but not where it went. */
export const executorFailed = (what: string) => new ApiError(502, `the executor ${what}`)
export const executorOutOfReach = () =>
  new ApiError(409, 'the executor no longer belongs to the installation')
export const usedByOutput = () => new ApiError(409, 'a notification output uses it')
export const tooManyOf = (what: string, { each, waiting }: { each: number; waiting: number }) =>
  new ApiError(
    429,
    `Too many ${what} at once: an organization has at most ${each} running and ${waiting} waiting`,
    { headers: { 'retry-after': '10' } }
  )
export const noPlaceFree = (what: string, seconds: number) =>
  new ApiError(503, `Too many ${what} at once: none ended within ${seconds} s`, {
    headers: { 'retry-after': '10' }
  })
/** Tells the caller how much is stored. Sending everything again stores nothing twice. */
export const importStopped = (statusCode: number, why: string, stored: number, cause?: unknown) =>
  new ApiError(
    statusCode,
    `${why}; ${stored} samples are stored, and sending all of them again is safe`,
    { cause }
  )
export const tooManyUploads = (most: number) =>
  new ApiError(429, `Too many uploads at once: an account has at most ${most} running`, {
    headers: { 'retry-after': '30' }
  })
/** Nothing was written to the disk. */
export const noSpace = (cause: unknown) => new ApiError(507, 'The disk is full', { cause })
export const diskFull = () => new ApiError(507, 'The disk is full up to its reserve')
export const stoppingNow = () => new ApiError(503, 'The server stops')
export const unsupportedEncoding = () => new ApiError(415, 'Content-Encoding must be gzip or none')
export const clientCancelled = () => new ApiError(499, 'Client cancelled request')
export const unavailable = (cause: unknown) => new ApiError(503, 'Service Unavailable', { cause })
export const timedOut = () => new ApiError(503, 'Timed out')
export const damaged = (cause: unknown) =>
  new ApiError(500, 'Stored data is damaged; the log of the platform names the file', { cause })

export const internal = () => new ApiError(500, 'Internal Server Error')

export function isTooManyTries({ message }: Error): boolean {
  return message === tooManyTries(0).message
}
