/** Shows messages about alarms, also while no page of the console is open. */
self.addEventListener('push', (event) => {
  const { title = 'Caracal', body = '' } = event.data?.json() ?? {}
  const icon = '/assets/caracal.svg'
  event.waitUntil(self.registration.showNotification(title, { body, icon, tag: title }))
})

/** Leads to the alarms, in a page of the console that is open already if there is one. */
self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openAlarms())
})

async function openAlarms() {
  const pages = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const page = pages.find(({ url }) => new URL(url).pathname === '/alarms')
  await (page ? page.focus() : self.clients.openWindow('/alarms'))
}
