import { writeFileSync } from 'node:fs'
import { pages } from './pages.ts'

/** `npm run docs`: writes every generated page; a test fails when one of them is not current. */
for (const [path, text] of Object.entries(await pages())) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text)
  console.log(`wrote ${path}`)
}
