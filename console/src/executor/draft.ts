import type { Schemas } from '../../../tools/client/client.ts'

export type Executor = Schemas['Executor']
/** `row` tells rows apart while they are typed. */
export type Pair = { row: number; key: string; value: string }

/** `known`: the secret as it was read. It is never shown, and only tells that it changed. */
export type Draft = {
  name: string
  type: string
  organization_id: number
  url: string
  config: Pair[]
  known: string
  secret: string
  isSecretDropped: boolean
}

export const emptyDraft = (organization_id: number): Draft => ({
  ...{ name: '', type: 'http', organization_id, url: '', config: [] },
  ...{ known: '', secret: '', isSecretDropped: false }
})

export function draftOf({ name, type, organization_id, config, secret = '' }: Executor): Draft {
  const { url = '', ...others } = config
  return {
    ...{ name, type, organization_id, url, known: secret, secret: '', isSecretDropped: false },
    config: Object.entries(others).map(([key, value], row) => ({ row, key, value }))
  }
}

const SECRET = /^[!-~]([ -~]*[!-~])?$/
export const isSecret = (text: string): boolean => text === '' || SECRET.test(text)

export function isUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url !== undefined && /^https?:$/.test(url.protocol) && !url.username && !url.password
}

/** Undefined: it cannot be saved yet. A secret that is not typed stays. */
export function bodyOf({ config, known: _, secret, isSecretDropped, url, ...draft }: Draft) {
  const pairs = config.filter(({ key, value }) => key !== '' || value !== '')
  const keys = new Set(pairs.map(({ key }) => key))
  const isWhole = keys.size === pairs.length && !keys.has('') && !keys.has('url')
  if (draft.name.trim() === '' || !isUrl(url.trim()) || !isSecret(secret) || !isWhole) {
    return undefined
  }
  const entries = pairs.map(({ key, value }) => [key, value] as const)
  return {
    ...draft,
    name: draft.name.trim(),
    type: draft.type.trim(),
    config: { ...Object.fromEntries(entries), url: url.trim() },
    ...(isSecretDropped ? { secret: '' } : secret !== '' && { secret })
  }
}
export type Body = NonNullable<ReturnType<typeof bodyOf>>
