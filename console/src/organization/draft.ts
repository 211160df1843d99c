import type { Schemas } from '../../../tools/client/client.ts'
import { Drafts } from '../drafts.ts'
import { type MetaDraft, metaBodyOf, metaDraftOf } from '../user/meta.ts'
import type { Organization } from './api.ts'

type Plain = 'name' | 'email' | 'phone' | 'notes' | 'force_sms_login' | 'parent'
export type OrganizationDraft = Pick<Organization, Plain> & Organization['address'] & MetaDraft

export const drafts = new Drafts<OrganizationDraft>()

export const draftOf = (organization: Organization): OrganizationDraft => {
  const { name, email, phone, notes, force_sms_login, parent, address } = organization
  return {
    ...{ name, email, phone, notes, force_sms_login, parent },
    ...{ address: address.address, zip: address.zip, city: address.city },
    country: address.country,
    ...metaDraftOf(organization)
  }
}

export const emptyDraft = (parent: number): OrganizationDraft => ({
  ...{ name: '', email: '', phone: '', notes: '', force_sms_login: false, parent },
  ...{ address: '', zip: '', city: '', country: '' }
})

export const bodyOf = (draft: OrganizationDraft, mayProtect: boolean) => {
  const { email, phone, notes, force_sms_login, parent, address, zip, city, country } = draft
  return {
    ...{ name: draft.name.trim(), email, phone, notes, force_sms_login },
    ...(parent > 0 && { parent }),
    address: { address, zip, city, country },
    ...metaBodyOf(draft, mayProtect)
  } satisfies Schemas['NewOrganization']
}
