export type Address = { address: string; city: string; country: string; zip: string }

type Given = { readonly [Name in keyof Address]?: string | null | undefined }

const empty: Address = { address: '', city: '', country: '', zip: '' }

/** All four fields; what is missing or null is as it was, or empty. */
export const completeAddress = (given: Given = {}, current: Address = empty): Address => ({
  address: given.address ?? current.address,
  city: given.city ?? current.city,
  country: given.country ?? current.country,
  zip: given.zip ?? current.zip
})
