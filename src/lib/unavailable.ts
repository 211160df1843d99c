/** What is asked for is on a server that does not answer just now; asking again later may help. */
export class Unavailable extends Error {}
