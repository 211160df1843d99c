/** The file of a site cannot be used; nothing of it is kept. */
export class BadSite extends Error {
  constructor(why: string) {
    super(`this file cannot be imported: ${why}`)
  }
}
