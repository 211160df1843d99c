import { Drafts } from '../drafts.ts'
import type { User } from './api.ts'

/** What one changes of one's own account. */
export type Profile = Pick<User, 'first_name' | 'last_name' | 'email' | 'mobile' | 'sms_login'> &
  User['address']

export const drafts = new Drafts<Profile>()

export const profileOf = ({ first_name, last_name, email, mobile, sms_login, address }: User) => ({
  ...{ first_name, last_name, email, mobile, sms_login },
  ...{ address: address.address, zip: address.zip, city: address.city, country: address.country }
})

export const bodyOf = ({ address, zip, city, country, ...rest }: Profile) => ({
  ...rest,
  address: { address, zip, city, country }
})
