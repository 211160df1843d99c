import type { components, paths } from './caracal.d.ts'

/** The objects of the API: `Schemas['Function']`. */
export type Schemas = components['schemas']

type Method = 'get' | 'post' | 'put' | 'delete'

/** The paths that have this method. */
type Path<M extends Method> = {
  [P in keyof paths]: paths[P] extends Record<M, object> ? P : never
}[keyof paths]

type Operation<M extends Method, P extends Path<M>> =
  paths[P] extends Record<M, infer O> ? O : never

/** A part of a request, as optional as it is there; nothing if the operation does not have it. */
type Part<From, Name extends string> =
  From extends Record<Name, infer Given>
    ? { [name in Name]: Given }
    : From extends { [name in Name]?: infer Given }
      ? [Given] extends [undefined]
        ? unknown
        : { [name in Name]?: Given }
      : unknown

type Content<C> = C extends { 'application/json': infer Json }
  ? Json
  : C extends { 'multipart/form-data': unknown }
    ? FormData
    : string

type Body<O> = O extends { requestBody: { content: infer C } }
  ? { body: Content<C> }
  : O extends { requestBody?: infer Given }
    ? NonNullable<Given> extends { content: infer C }
      ? { body?: Content<C> }
      : unknown
    : unknown

type Sent<O> = O extends { parameters: infer P }
  ? Part<P, 'path'> & Part<P, 'query'> & Part<P, 'header'> & Body<O>
  : never

type Arguments<O> = object extends Sent<O> ? [sent?: Sent<O>] : [sent: Sent<O>]

type Answer<O> = O extends { responses: infer R }
  ?
      | (R extends { 200: { content: infer C } } ? Content<C> : undefined)
      | (R extends { 204: unknown } ? undefined : never)
  : never

/** An object with the tag for `If-Match` of a later change. */
export type Tagged<T> = { value: T; etag: string }

/** The installation, organization or user that a refused request named. */
export type RefusedObject = { kind: string; id: string | number }

type Extras = {
  retryAfter?: number
  permissions?: readonly string[]
  object?: RefusedObject
}

export class CaracalError extends Error {
  override readonly name = 'CaracalError'
  readonly status: number
  /** Send the request again after this many seconds. */
  readonly retryAfter: number | undefined
  /** With 403: one of these would have been enough. Empty if no permission opens it. */
  readonly permissions: readonly string[]
  /** With 403: on which object. */
  readonly object: RefusedObject | undefined

  constructor(
    status: number,
    message: string,
    { retryAfter, permissions = [], object }: Extras = {}
  ) {
    super(message)
    this.status = status
    this.retryAfter = retryAfter
    this.permissions = permissions
    this.object = object
  }
}

type SignIn = {
  email: string
  password: string
  /** Asked for the code of the text message, if the account has a second factor. */
  code?: () => Promise<string>
}

/** Calls the API with the types of its description. It runs in Node and in browsers. */
export class Caracal {
  readonly #url: string
  readonly #token: string

  /** `token` is the token of a session or an API key. */
  constructor(url: string, token: string) {
    this.#url = url.replace(/\/$/, '')
    this.#token = token
  }

  /** The token of the session; with `nextstep` it is only good for sending the code. */
  static async beginSignIn(
    url: string,
    { email, password }: Omit<SignIn, 'code'>
  ): Promise<Schemas['Session']> {
    const bytes = new TextEncoder().encode(`${email}:${password}`)
    const authorization = `Basic ${btoa(String.fromCharCode(...bytes))}`
    const answer = await fetch(new URL('/api/v2/auth', url), {
      method: 'POST',
      headers: { authorization }
    })
    return (await resultOf(answer)) as Schemas['Session']
  }

  static async signIn(url: string, { code, ...account }: SignIn): Promise<Caracal> {
    const { token, nextstep } = await Caracal.beginSignIn(url, account)
    const first = new Caracal(url, token)
    if (!nextstep) return first
    if (!code) throw new CaracalError(401, 'A second factor is required')
    const finished = await first.put('/api/v2/auth', { body: { challenge: await code() } })
    return new Caracal(url, finished.token)
  }

  get<P extends Path<'get'>>(path: P, ...[sent]: Arguments<Operation<'get', P>>) {
    return this.#call<Answer<Operation<'get', P>>>('GET', path, sent)
  }

  /** As `get`, with the tag of the object. */
  async tagged<P extends Path<'get'>>(
    path: P,
    ...[sent]: Arguments<Operation<'get', P>>
  ): Promise<Tagged<Answer<Operation<'get', P>>>> {
    const answer = await this.raw('GET', path, sent)
    const value = (await resultOf(answer)) as Answer<Operation<'get', P>>
    return { value, etag: answer.headers.get('etag') ?? '*' }
  }

  post<P extends Path<'post'>>(path: P, ...[sent]: Arguments<Operation<'post', P>>) {
    return this.#call<Answer<Operation<'post', P>>>('POST', path, sent)
  }

  put<P extends Path<'put'>>(path: P, ...[sent]: Arguments<Operation<'put', P>>) {
    return this.#call<Answer<Operation<'put', P>>>('PUT', path, sent)
  }

  delete<P extends Path<'delete'>>(path: P, ...[sent]: Arguments<Operation<'delete', P>>) {
    return this.#call<Answer<Operation<'delete', P>>>('DELETE', path, sent)
  }

  /** The answer itself, for files: `(await caracal.raw(...)).blob()`. `signal` ends the wait. */
  async raw(
    method: string,
    path: string,
    request: unknown = {},
    signal: AbortSignal | null = null
  ): Promise<Response> {
    const { path: names = {}, query = {}, header = {}, body } = request as Request
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => partOf(names[name] ?? ''))
    const url = new URL(this.#url + filled)
    for (const [name, value] of valuesOf(query)) url.searchParams.append(name, value)
    const isPlain =
      body === undefined ||
      typeof body === 'string' ||
      body instanceof FormData ||
      body instanceof Blob
    const answer = await fetch(url, {
      method,
      signal,
      headers: {
        ...header,
        'x-api-key': this.#token,
        ...(!isPlain && { 'content-type': 'application/json' })
      },
      ...(body !== undefined && { body: isPlain ? body : JSON.stringify(body) })
    })
    if (!answer.ok) await resultOf(answer)
    return answer
  }

  async #call<T>(method: string, path: string, request: unknown): Promise<T> {
    return (await resultOf(await this.raw(method, path, request))) as T
  }
}

type Request = {
  path?: Record<string, string | number>
  query?: Record<string, unknown>
  header?: Record<string, string>
  body?: unknown
}

/** `.` and `..` would become another address, even encoded. */
function partOf(value: string | number): string {
  if (value === '.' || value === '..') throw new TypeError(`${value} cannot be a part of a path`)
  return encodeURIComponent(value)
}

/** Lists are repeated, and each key of an object is a parameter: `{ metadata: { room: 'hall' } }`. */
function valuesOf(query: Record<string, unknown>): [name: string, value: string][] {
  return Object.entries(query).flatMap(([name, value]) => {
    if (value === undefined || value === null) return []
    if (Array.isArray(value)) return value.map((one): [string, string] => [name, String(one)])
    if (typeof value === 'object') return valuesOf(value as Record<string, unknown>)
    return [[name, String(value)]]
  })
}

type Fault = {
  message?: string
  error?: string
  permissions?: string[]
  object?: RefusedObject
}

/** The JSON or text of an answer. Throws if it is an error. */
async function resultOf(answer: Response): Promise<unknown> {
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json')
  const result: unknown = text === '' ? undefined : isJson ? JSON.parse(text) : text
  if (answer.ok) return result
  const { message, error, permissions, object } = (isJson ? result : {}) as Fault
  const wait = answer.headers.get('retry-after')
  throw new CaracalError(answer.status, message ?? error ?? answer.statusText, {
    ...(wait !== null && { retryAfter: Number(wait) }),
    ...(permissions && { permissions }),
    ...(object && { object })
  })
}
