// Writes caracal.d.ts, the types of the API, from its description.

import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import openapiTypes, { astToString } from 'openapi-typescript'
import { fingerprint } from './fingerprint.ts'

const source = '../../src/features/system/openapi.json'
const target = 'caracal.d.ts'

/** Writes each kind of error once, and no examples. The types are a third as long. */
function shortened(description) {
  const errors = {}
  const operations = Object.values(description.paths).flatMap(Object.values)
  for (const { requestBody, responses } of operations) {
    for (const { content = {} } of [requestBody ?? {}, ...Object.values(responses)]) {
      for (const media of Object.values(content)) delete media.example
    }
    for (const [status, answer] of Object.entries(responses)) {
      if (status < '400') continue
      const name = `Error${status === 'default' ? 'Other' : status}`
      errors[name] ??= answer
      if (isDeepStrictEqual(errors[name], answer)) {
        responses[status] = { $ref: `#/components/responses/${name}` }
      }
    }
  }
  const { components } = description
  return { ...description, components: { ...components, responses: errors } }
}

const description = readFileSync(new URL(source, import.meta.url), 'utf8')
const types = await openapiTypes(shortened(JSON.parse(description)), {
  // A field with a default may be left out of a request.
  defaultNonNullable: false
})
const header = `/**
 * The types of the API of Caracal. Written by "npm run generate" in tools/client.
 * Fingerprint: ${fingerprint(description)}
 */
`
writeFileSync(new URL(target, import.meta.url), header + astToString(types))
console.log(`wrote ${target}`)
