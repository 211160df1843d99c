import type { Schemas } from '../../../tools/client/client.ts'

export type Policy = Schemas['RegistrationPolicy']
export type GatewayPolicy = Schemas['GatewayRegistrationPolicy']

/** `join`: people join the organization. `below`: they get one of their own below it. */
export type Draft = {
  email_pattern: string
  role_id: number
  how: 'join' | 'below'
  organization_id: number
}

/** The role "User", which the platform gives if none is named. */
export const USER_ROLE_ID = 3

export const emptyDraft = (organization_id: number): Draft => ({
  ...{ email_pattern: '', role_id: USER_ROLE_ID, how: 'join', organization_id }
})

export const draftOf = (policy: Policy): Draft => ({
  ...{ email_pattern: policy.email_pattern, role_id: policy.role_id },
  how: policy.parent_organization ? 'below' : 'join',
  organization_id: policy.organization_id ?? policy.parent_organization ?? 0
})

export const isEmailPattern = (text: string): boolean => /^[^\s@]+@[^\s@]+$/.test(text)

/** Undefined: it cannot be saved yet. */
export function bodyOf({ email_pattern, role_id, how, organization_id }: Draft) {
  if (!isEmailPattern(email_pattern.trim()) || organization_id === 0) return undefined
  const place = how === 'join' ? { organization_id } : { parent_organization: organization_id }
  return { email_pattern: email_pattern.trim(), role_id, ...place }
}
export type Body = NonNullable<ReturnType<typeof bodyOf>>
