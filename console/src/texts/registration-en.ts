export const registration = {
  title: 'Registration',
  people: 'People',
  peopleHelp:
    'Whoever has a matching address may register, and gets a key by mail. The narrowest policy counts: one address before one domain before the rest.',
  create: 'New policy',
  empty: 'Nobody may register.',
  emptyHelp: 'New users are made by those who manage users. Add a policy to let people register.',
  notThere: 'This policy does not exist any more, or you may not see it.',
  save: 'Save',
  saved: 'Saved.',
  delete: 'Delete the policy',
  deleteSure: (pattern: string) =>
    `Delete ${pattern}? Registrations that are not confirmed yet go with it. Users stay.`,
  deleteGo: 'Delete',
  refused:
    'The platform refused this. The role must not be more than your own, and you must reach the organization.',
  keep: 'Keep it',
  locked: 'You may look at this policy. To change it you need registration/policy/update.',
  pattern: 'E-mail address',
  patternHelp: '* stands for any text on its side of the @, such as *@example.com.',
  patternWrong: 'An address has one @, and no spaces.',
  how: 'Where they belong',
  join: 'They join the organization',
  below: 'Each gets an organization of their own below it',
  belowHelp: 'It is named after the person.',
  place: 'Organization',
  role: 'Role',
  roleHelp: 'It must not be more than your own, and not a role with rights of administrators.',
  roleOf: (id: number) => (id === 3 ? 'User' : `role ${id}`),
  joins: (organization: string, role: string) => `joins ${organization} as ${role}`,
  getsOwn: (organization: string, role: string) =>
    `gets an organization of their own below ${organization}, as ${role}`,
  gateways: 'Gateways',
  gatewaysHelp: 'A gateway needs a credential. Here you allow those without one to choose it.',
  allow: 'Accept gateways that are not registered',
  allowHelp:
    'The first password that is used for an installation without a credential becomes its credential. Turn it off when all gateways are there.',
  gatewayPlace: 'Only for installations of',
  gatewayPlaceHelp: 'And of organizations below it.',
  gatewaysLocked: 'Only those who belong to the topmost organization change this.'
}
