/** Who has files, rules or mappings. Rules and mappings of an organization hold for all installations below it. */
export type Owner = { kind: 'installation' | 'organization'; id: number }
