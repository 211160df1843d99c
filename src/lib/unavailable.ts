/** A server does not answer now. Trying again later may help. */
export class Unavailable extends Error {}
