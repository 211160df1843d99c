/** No owner contains it. */
const SEPARATOR = '\n'

/**
 * The name of a client inside the broker. Two owners may use the same client id, because the name
 * also has the owner. Clients and rules do not see it. [ADR-0014]
 */
export const nameOf = (owner: string, clientId: string): string => owner + SEPARATOR + clientId

/** The client id as the client sent it. Before sign-in it is the whole name. */
export const clientIdIn = (name: string): string => name.slice(name.indexOf(SEPARATOR) + 1)
