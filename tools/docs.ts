import { readFileSync, writeFileSync } from 'node:fs'
import { fingerprint, fingerprintIn } from './client/fingerprint.ts'
import { pages } from './pages.ts'

/** `npm run docs` writes every generated page. A test fails if one of them is not current. */
for (const [path, text] of Object.entries(await pages())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
  console.log(`wrote ${path}`)
}

const read = (path: string) => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')
const described = fingerprint(read('src/features/system/openapi.json'))
if (fingerprintIn(read('tools/client/caracal.d.ts')) !== described) {
  console.log('The API has changed: run "npm ci && npm run generate" in tools/client')
}
