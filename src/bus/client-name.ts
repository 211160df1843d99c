/** No owner has one. */
const BETWEEN = '\n'

/**
 * What a client is known by inside: two owners may use the same client id and never meet. Neither
 * clients nor rules see it. [ADR-0014]
 */
export const nameOf = (owner: string, clientId: string): string => owner + BETWEEN + clientId

/** The client id as its client wrote it; a client that has not signed in has no other name. */
export const clientIdIn = (name: string): string => name.slice(name.indexOf(BETWEEN) + 1)
