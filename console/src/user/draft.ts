import type { Schemas } from '../../../tools/client/client.ts'
import { Drafts } from '../drafts.ts'
import { type MetaDraft, metaBodyOf, metaDraftOf } from './meta.ts'
import type { User } from './types.ts'

type Plain = 'first_name' | 'last_name' | 'email' | 'mobile' | 'sms_login' | 'note' | 'role'

/** What one changes of a user. */
export type UserDraft = Pick<User, Plain> & { organisations: number[] } & User['address'] &
  MetaDraft

export const drafts = new Drafts<UserDraft>()

export const draftOf = (user: User): UserDraft => {
  const { first_name, last_name, email, mobile, sms_login, note, role, address } = user
  return {
    ...{ first_name, last_name, email, mobile, sms_login, note, role },
    organisations: [...user.organisations].sort((a, b) => a - b),
    ...{ address: address.address, zip: address.zip, city: address.city },
    country: address.country,
    ...metaDraftOf(user)
  }
}

export const emptyDraft = (role: number, organisations: number[]): UserDraft => ({
  ...{ first_name: '', last_name: '', email: '', mobile: '', sms_login: false, note: '' },
  ...{ role, organisations, address: '', zip: '', city: '', country: '' }
})

export const bodyOf = (draft: UserDraft, mayProtect: boolean) => {
  const { first_name, last_name, email, mobile, sms_login, note, role, organisations } = draft
  const { address, zip, city, country } = draft
  return {
    ...{ first_name, last_name, mobile, sms_login, note, role, organisations },
    email: email.trim(),
    address: { address, zip, city, country },
    ...metaBodyOf(draft, mayProtect)
  } satisfies Schemas['NewUser']
}
