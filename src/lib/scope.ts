/**
 * What a principal can see: the installations of these organizations, and these installations. With
 * `within`, only those that it sees too. Two empty lists see nothing. A request's filter is no
 * scope.
 */
export type Scope = {
  readonly organizationIds: readonly number[]
  readonly installationIds: readonly number[]
  readonly within?: Scope
}

/** The scope as a test, for installations that are already read. */
export function scopeTest(
  scope: Scope
): (installation: { id: number; organization_id: number }) => boolean {
  const organizations = new Set(scope.organizationIds)
  const installations = new Set(scope.installationIds)
  const within = scope.within && scopeTest(scope.within)
  return (installation) =>
    (organizations.has(installation.organization_id) || installations.has(installation.id)) &&
    (within === undefined || within(installation))
}
