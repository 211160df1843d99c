import { dispositionParameters } from './content-disposition.ts'
import { badRequest } from './errors.ts'

export type FormPart = {
  name: string
  /** Only files have a name. */
  filename: string | undefined
  type: string
  /** Read it to the end before the next part, or do not read it at all. */
  content: AsyncIterable<Buffer>
}

const MAX_PREAMBLE_BYTES = 4 * 1024
const MAX_HEAD_BYTES = 8 * 1024
const END_OF_HEAD = Buffer.from('\r\n\r\n')

const broken = () => badRequest('body is not valid multipart/form-data')

/** The boundary of a multipart body. Other bodies are refused. */
export function boundaryOf(contentType = ''): string {
  const [, quoted, plain] =
    /^multipart\/form-data\b.*;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType) ??
    []
  const boundary = quoted ?? plain
  if (boundary === undefined) throw badRequest('body must be multipart/form-data')
  return boundary
}

/**
 * [RFC 7578] Gives the parts one after another as they arrive. Only the current piece is in memory.
 */
export async function* readMultipart(
  body: AsyncIterable<Buffer> | Iterable<Buffer>,
  { boundary, maxParts }: { boundary: string; maxParts: number }
): AsyncGenerator<FormPart> {
  const delimiter = Buffer.from(`\r\n--${boundary}`)
  const input = new Input(body)
  await drain(input.until(delimiter), MAX_PREAMBLE_BYTES)
  for (let parts = 0; !(await input.startsWith('--')); parts++) {
    if (parts >= maxParts) throw badRequest(`at most ${maxParts} parts`)
    const head = headOf(await input.take(END_OF_HEAD, MAX_HEAD_BYTES))
    const content = input.until(delimiter)
    yield { ...head, content }
    await drain(content)
  }
}

async function drain(content: AsyncIterable<Buffer>, most = Number.POSITIVE_INFINITY) {
  let size = 0
  for await (const bytes of content) {
    size += bytes.length
    if (size > most) throw broken()
  }
}

/** The bytes that have arrived but are not read yet. */
class Input {
  readonly #body: AsyncIterator<Buffer> | Iterator<Buffer>
  /** Every delimiter begins with a line end, also the first one. */
  #rest = Buffer.from('\r\n')

  constructor(body: AsyncIterable<Buffer> | Iterable<Buffer>) {
    this.#body =
      Symbol.asyncIterator in body ? body[Symbol.asyncIterator]() : body[Symbol.iterator]()
  }

  /** Everything before the mark. The mark itself is skipped. */
  async *until(mark: Buffer): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(mark)
      // The last bytes may be the start of a mark that has not fully arrived.
      const end = at >= 0 ? at : this.#rest.length - mark.length + 1
      if (end > 0) yield this.#cut(end)
      if (at >= 0) break
      await this.#more()
    }
    this.#cut(mark.length)
  }

  async take(mark: Buffer, most: number): Promise<Buffer> {
    for (;;) {
      const at = this.#rest.indexOf(mark)
      if (at > most || (at < 0 && this.#rest.length > most)) throw broken()
      if (at >= 0) {
        const taken = this.#cut(at)
        this.#cut(mark.length)
        return taken
      }
      await this.#more()
    }
  }

  async startsWith(text: string): Promise<boolean> {
    while (this.#rest.length < text.length) await this.#more()
    return this.#rest.subarray(0, text.length).toString('latin1') === text
  }

  #cut(length: number): Buffer {
    const cut = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return cut
  }

  async #more(): Promise<void> {
    const { done, value } = await this.#body.next()
    if (done) throw broken()
    this.#rest = Buffer.concat([this.#rest, value])
  }
}

function headOf(head: Buffer): Omit<FormPart, 'content'> {
  const [padding = '', ...lines] = head.toString('utf8').split('\r\n')
  // Other text here means that this was no boundary.
  if (padding.trim() !== '') throw broken()
  const header = (name: string) =>
    lines.find((line) => line.toLowerCase().startsWith(`${name}:`))?.slice(name.length + 1) ?? ''
  const parameters = dispositionParameters(header('content-disposition'))
  return {
    name: parameters.get('name') ?? '',
    filename: parameters.get('filename'),
    type: header('content-type').trim()
  }
}
