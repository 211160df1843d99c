export type Address = { address: string; city: string; country: string; zip: string }

/** All four fields, whatever was given of them. */
export const completeAddress = (given: Partial<Address> = {}): Address => ({
  address: '',
  city: '',
  country: '',
  zip: '',
  ...given
})
