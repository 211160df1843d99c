/** The named fields of a body that have a value. Missing and null fields keep what is stored. */
export function given<Body extends object, Name extends keyof Body>(
  body: Body,
  names: readonly Name[]
): { [N in Name]?: NonNullable<Body[N]> } {
  const found: { [N in Name]?: NonNullable<Body[N]> } = {}
  for (const name of names) {
    const value = body[name]
    if (value !== null && value !== undefined) found[name] = value
  }
  return found
}
