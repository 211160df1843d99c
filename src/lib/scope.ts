/**
 * What a principal can see: installations of these organizations, and these installations; of them
 * only what `within` sees too. Two empty lists see nothing; a filter of a request is never a scope.
 */
export type Scope = {
  readonly organizationIds: readonly number[]
  readonly installationIds: readonly number[]
  readonly within?: Scope
}
