export type Address = { address: string; city: string; country: string; zip: string }

type Given = { readonly [Name in keyof Address]?: string | null | undefined }

const empty: Address = { address: '', city: '', country: '', zip: '' }

/** All four fields. A field that is missing or null keeps its current value, or is empty. */
export const completeAddress = (given: Given = {}, current: Address = empty): Address => ({
  address: given.address ?? current.address,
  city: given.city ?? current.city,
  country: given.country ?? current.country,
  zip: given.zip ?? current.zip
})
