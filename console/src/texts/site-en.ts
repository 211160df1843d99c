export const site = {
  title: 'Settings',
  general: 'General',
  fields: {
    name: 'Name',
    notes: 'Notes',
    timezone: 'Time zone',
    organization_id: 'Organization'
  },
  zoneHelp: 'Days begin and end there. An IANA name, such as Europe/Stockholm.',
  zoneEmpty: 'as the platform',
  moveHelp:
    'Who manages the other organization then manages this installation, and its rules apply.',
  nameMissing: 'Write a name.',
  save: 'Save',
  discard: 'Discard',
  saved: 'Saved.',
  mayOnlyLook:
    'You may look, but not change anything. It needs the permission installation/update.',
  people: 'People',
  peopleHelp:
    'They see this installation because it is assigned to them. Others may see it because of their organization.',
  nobody: 'It is assigned to nobody yet.',
  unknownUser: (id: number) => `User ${id}`,
  unknownHelp: 'You may not see this account, so you cannot take it away.',
  add: 'Add somebody',
  addPlaceholder: 'Name or e-mail address',
  addGo: 'Add',
  noneFound: 'Nobody else that you see matches.',
  remove: 'Remove',
  removeNamed: (name: string) => `Remove ${name}`,
  removeQuestion: (name: string) => `Remove ${name}?`,
  removeGo: 'Remove',
  keep: 'Keep',
  mayNotAssign:
    'This was refused. You cannot add somebody who may do more than you, or whom you may not see.',
  metadata: 'Metadata',
  retention: 'How long values stay',
  keptForEver: 'Values stay for ever.',
  keptDays: (days: string) => `Values stay for ${days} days, then they are deleted.`,
  keptBy: {
    here: 'This is set here.',
    above: 'An organization above it, or the platform, has set this.'
  },
  days: 'Days for this installation',
  daysHelp:
    'Leave it empty to keep values as long as the organization and the platform do. The shortest time counts. The latest value of each topic always stays.',
  daysWrong: 'A whole number of days, from 1 to 36 500.',
  daysAsk: 'Only somebody who belongs to the topmost organization can change this.',
  shorterTitle: 'Delete older values?',
  shorter: (days: string) =>
    `Values that are older than ${days} days will be deleted. They cannot be brought back.`,
  shorterGo: 'Set it, and delete older values',
  usage: 'Use and quotas',
  usageHelp: 'What is used, and the most that is allowed. What goes beyond it is refused.',
  names: {
    messages_per_second: 'Values a second',
    topics: 'Topics',
    history_bytes_per_day: 'New values today (UTC)',
    history_bytes: 'Stored values',
    files: 'Files',
    file_bytes: 'Size of all files',
    connections: 'MQTT connections',
    filters: 'MQTT subscriptions'
  },
  usedOf: (used: string, quota: string) => `${used} of ${quota}`,
  noQuota: (used: string) => `${used}, no limit`,
  nearly: 'nearly used up',
  usedUp: 'used up',
  raise: 'Somebody who belongs to the topmost organization can raise a quota.',
  export: 'Export',
  values: 'Values as a file',
  whole: 'The whole installation',
  wholeHelp:
    'One file with its settings, protected metadata, functions, devices, rules, schedules, notifications, edge apps, files and all values. An operator of another platform can import it with the command import.',
  wholeLeft:
    'The file does not have: people, keys, the credential of the gateway, and the trace. The download begins when the file is complete.',
  delete: 'Delete the installation',
  deleteHelp: 'Everything in it goes, with all values. This cannot be undone.',
  deleteTitle: (name: string) => `Delete ${name}?`,
  goes: 'This goes for ever:',
  counts: {
    functions: (n: number, text: string) => (n === 1 ? '1 function' : `${text} functions`),
    devices: (n: number, text: string) => (n === 1 ? '1 device' : `${text} devices`),
    values: (size: string, n: number, text: string) =>
      `all values: ${size} on ${n === 1 ? '1 topic' : `${text} topics`}`,
    schedules: (n: number, text: string) => (n === 1 ? '1 schedule' : `${text} schedules`),
    rules: (n: number, text: string) =>
      n === 1 ? '1 rule, and its alarms' : `${text} rules, and their alarms`,
    mappings: (n: number, text: string) => (n === 1 ? '1 mapping' : `${text} mappings`),
    messages: (n: number, text: string) =>
      n === 1 ? '1 notification message' : `${text} notification messages`,
    outputs: (n: number, text: string) =>
      n === 1 ? '1 notification output' : `${text} notification outputs`,
    apps: (n: number, text: string) => (n === 1 ? '1 edge app' : `${text} edge apps`),
    files: (n: number, text: string) => (n === 1 ? '1 file' : `${text} files`),
    people: (n: number, text: string) =>
      n === 1 ? '1 person loses it from their list' : `${text} people lose it from their list`
  },
  rest: 'its board, its metadata, and the credentials of its gateway',
  typeName: (name: string) => `Type ${name} to confirm`,
  deleteGo: 'Delete it for ever',
  deleteAsk: 'To delete it needs the permission installation/delete.'
}
