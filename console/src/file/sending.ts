import { CaracalError } from '../../../tools/client/client.ts'
import { currentSession } from '../session/session.ts'

/** `shows` gets how many bytes are sent. */
export type Way = { signal: AbortSignal; shows: (bytes: number) => void }
type Sent = { path: Record<string, number>; body: FormData; way: Way }
type Fault = { message?: string; error?: string; permissions?: string[] }

/** Sends a form. `fetch` cannot say how far it is. */
const send = (method: string, path: string, { path: ids, body, way }: Sent): Promise<void> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open(
      method,
      path.replaceAll(/\{(\w+)\}/g, (_, name) => String(ids[name]))
    )
    request.setRequestHeader('x-api-key', currentSession().token ?? '')
    request.upload.onprogress = ({ loaded }) => way.shows(loaded)
    request.onload = () => (request.status < 300 ? resolve() : reject(faultOf(request)))
    // As `fetch` says that nobody answers.
    request.onerror = () => reject(new TypeError('the platform cannot be reached'))
    request.onabort = () => reject(new DOMException('stopped', 'AbortError'))
    way.signal.addEventListener('abort', () => request.abort())
    if (way.signal.aborted) reject(new DOMException('stopped', 'AbortError'))
    else request.send(body)
  })

function faultOf({ status, statusText, responseText }: XMLHttpRequest): CaracalError {
  const { message, error, permissions } = faultIn(responseText)
  return new CaracalError(status, message ?? error ?? statusText, {
    ...(permissions && { permissions })
  })
}

/** A proxy may answer with a page. */
function faultIn(text: string): Fault {
  try {
    return (JSON.parse(text) as Fault | null) ?? {}
  } catch {
    return {}
  }
}

export const sending = {
  post: (path: string, sent: Sent) => send('POST', path, sent),
  put: (path: string, sent: Sent) => send('PUT', path, sent)
}
