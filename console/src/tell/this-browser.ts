import { queryClient } from '../queries.ts'
import { addBrowser, push, removeBrowser } from './api.ts'

/** It shows the messages. It holds for no page, so it may lie among the other files. */
const WORKER = '/assets/push.js'
/** The id of this browser on the platform. */
const KEY = 'caracal.push'

/** Browsers have it on HTTPS and on localhost only. */
export const canPush = (): boolean =>
  'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

export const ownId = (): number => Number(localStorage.getItem(KEY))

/** The user of the browser does not want its messages. */
export class NotAllowed extends Error {}
/** The browser could not reach its push service, or has none. */
export class NoPushService extends Error {}

/** Asks the browser for messages, and tells the platform where to send them. */
export async function beToldHere(publicKey: string): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted') throw new NotAllowed()
  const subscription = await subscribed(publicKey).catch((cause) => {
    throw new NoPushService('the browser did not subscribe', { cause })
  })
  const { endpoint = '', keys } = subscription.toJSON()
  const { p256dh = '', auth = '' } = keys ?? {}
  const { id } = await addBrowser({ endpoint, keys: { p256dh, auth } })
  localStorage.setItem(KEY, String(id))
  await queryClient.invalidateQueries({ queryKey: push.queryKey })
}

async function subscribed(applicationServerKey: string): Promise<PushSubscription> {
  await navigator.serviceWorker.register(WORKER)
  const { pushManager } = await activeWorker()
  const options = { userVisibleOnly: true, applicationServerKey }
  try {
    return await pushManager.subscribe(options)
  } catch (error) {
    // It may belong to a platform that was here before, with other keys.
    const old = await pushManager.getSubscription()
    if (!old) throw error
    await old.unsubscribe()
    return pushManager.subscribe(options)
  }
}

/** A worker that was just installed takes a moment to become active. */
async function activeWorker(): Promise<ServiceWorkerRegistration> {
  const registration = await navigator.serviceWorker.getRegistration(WORKER)
  if (!registration) throw new Error('the worker is gone')
  const coming = registration.installing ?? registration.waiting
  if (!registration.active && coming) {
    await new Promise<void>((resolve, reject) => {
      coming.addEventListener('statechange', () => {
        if (coming.state === 'activated') resolve()
        if (coming.state === 'redundant') reject(new Error('the worker did not start'))
      })
    })
  }
  return registration
}

export async function forgetBrowser(id: number): Promise<void> {
  await removeBrowser(id)
  if (id === ownId()) {
    localStorage.removeItem(KEY)
    const registration = await navigator.serviceWorker?.getRegistration(WORKER)
    await (await registration?.pushManager.getSubscription())?.unsubscribe()
  }
  await queryClient.invalidateQueries({ queryKey: push.queryKey })
}
