/** Where the topics of a device begin. Undefined: it is the gateway, and has all topics. */
export type Prefix = string | undefined

export const mountOf = (prefix: Prefix) => (prefix === undefined ? {} : { mount: { prefix } })
