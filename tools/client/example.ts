/**
 * Signs in, lists, reads and writes, with the types of the API.
 *
 *     CARACAL_PASSWORD=... node tools/client/example.ts http://127.0.0.1:8080 admin@localhost
 */
import { Caracal, CaracalError, type Schemas } from './client.ts'

const [url = 'http://127.0.0.1:8080', email = 'admin@localhost'] = process.argv.slice(2)
const caracal = await Caracal.signIn(url, {
  email,
  password: process.env['CARACAL_PASSWORD'] ?? ''
})

const me = await caracal.get('/api/v2/user/me')
console.log(`signed in as ${me.email}`)

const installations = await caracal.get('/api/v2/installationinfo', { query: { assigned: false } })
for (const { id, name } of installations) console.log(`installation ${id}: ${name}`)
const [installation] = installations
if (!installation) throw new Error('there is no installation')
const path = { installation_id: installation.id }

// Latest values, and the average of each hour of the last day.
const status = await caracal.get('/api/v2/status/{installation_id}', { path })
for (const { topic, value, timestamp } of status) console.log(topic, value, isoTime(timestamp))
const log = await caracal.get('/api/v3beta/log/{installation_id}', {
  path,
  query: { aggr_method: 'avg', aggr_interval: '1h', order: 'asc' }
})
console.log(`${log.count} of ${log.total} hours`)

// Write a function, change one metadata key, find it by its metadata, and delete it.
const made = await caracal.post('/api/v2/functionx/{installation_id}', {
  path,
  body: {
    installation_id: installation.id,
    type: 'temperature',
    meta: { name: 'Example', room: 'hall' }
  }
})
const one = { ...path, functionx_id: made.id }
await caracal.put('/api/v2/functionx/{installation_id}/{functionx_id}/meta/{meta_key}', {
  path: { ...one, meta_key: 'room' },
  body: { value: 'attic' }
})
const found = await caracal.get('/api/v2/functionx/{installation_id}', {
  path,
  query: { type: ['temperature'], metadata: { name: 'Example', room: 'att*' } }
})
console.log(`found ${found.map(nameOf).join(', ')}`)
await caracal.delete('/api/v2/functionx/{installation_id}/{functionx_id}', { path: one })

// An error has the status and the message of the API.
try {
  await caracal.get('/api/v2/functionx/{installation_id}/{functionx_id}', { path: one })
} catch (error) {
  if (!(error instanceof CaracalError)) throw error
  console.log(`${error.status} ${error.message}`)
}
await caracal.delete('/api/v2/auth')

function isoTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString()
}

function nameOf({ id, meta }: Schemas['Function']): string {
  return meta['name'] ?? `function ${id}`
}
