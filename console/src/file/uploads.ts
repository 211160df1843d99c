import { CaracalError } from '../../../tools/client/client.ts'
import type { Owner } from '../frame/owner.ts'
import { Store } from '../store.ts'
import { askAgain, replace, upload } from './api.ts'
import { MAX_FILE } from './names.ts'

export type State =
  | { is: 'waiting' | 'stopped' | 'tooLarge' | 'done' | 'offline' }
  | { is: 'busy'; sent: number }
  | { is: 'failed'; error: CaracalError }

export type Upload = {
  key: number
  owner: Owner
  name: string
  size: number
  state: State
}

type Work = { file: File; replaced: number | undefined; stop: AbortController }

/** Uploads go on while one looks at other pages. */
export const uploads = new Store<readonly Upload[]>([])

const works = new Map<number, Work>()
let count = 0
let isRunning = false

const isOpen = ({ state }: Upload): boolean => state.is === 'waiting' || state.is === 'busy'

export const hasOpen = (): boolean => uploads.value.some(isOpen)

const put = (key: number, state: State): void =>
  uploads.set(uploads.value.map((one) => (one.key === key ? { ...one, state } : one)))

/** `replaced`: the file whose place is taken. */
export function startUploads(owner: Owner, files: readonly File[], replaced?: number): void {
  const added = files.map((file): Upload => {
    const key = ++count
    const { name, size } = file
    const isTooLarge = size > MAX_FILE
    if (!isTooLarge) works.set(key, { file, replaced, stop: new AbortController() })
    return { key, owner, name, size, state: { is: isTooLarge ? 'tooLarge' : 'waiting' } }
  })
  uploads.set([...uploads.value, ...added])
  void run()
}

export function stopUpload(key: number): void {
  works.get(key)?.stop.abort()
  put(key, { is: 'stopped' })
}

export const clearUploads = (): void => uploads.set(uploads.value.filter(isOpen))

/** One after another. */
async function run(): Promise<void> {
  if (isRunning) return
  isRunning = true
  for (;;) {
    const next = uploads.value.find(({ state }) => state.is === 'waiting')
    if (!next) break
    await send(next)
  }
  isRunning = false
}

async function send({ key, owner }: Upload): Promise<void> {
  const work = works.get(key)
  if (!work) return put(key, { is: 'stopped' })
  const { file, replaced, stop } = work
  const shows = (sent: number) => put(key, { is: 'busy', sent })
  shows(0)
  try {
    const way = { signal: stop.signal, shows }
    const sent = { content: file, name: file.name }
    if (replaced === undefined) await upload(owner, sent, way)
    else await replace(owner, replaced, { ...sent, way })
    put(key, { is: 'done' })
  } catch (error) {
    if (stop.signal.aborted) put(key, { is: 'stopped' })
    else put(key, error instanceof CaracalError ? { is: 'failed', error } : { is: 'offline' })
  }
  works.delete(key)
  askAgain(owner)
}
