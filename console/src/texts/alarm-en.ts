const alarms = (n: number, isFull: boolean): string =>
  n === 1 && !isFull ? '1 alarm' : `${n}${isFull ? '+' : ''} alarms`

export const alarm = {
  title: 'Alarms',
  allHelp: 'Of all installations whose alarms you may see. Times are those of the installation.',
  count: alarms,
  bell: (n: number, isFull: boolean, worst: string) =>
    `${alarms(n, isFull)} not acknowledged, the worst: ${worst}`,
  quiet: 'Alarms: none that is not acknowledged',
  severity: 'Severity',
  severities: { critical: 'critical', warning: 'warning', info: 'info' },
  anySeverity: 'Any severity',
  state: 'State',
  states: {
    raised: 'Not acknowledged',
    acknowledged: 'Acknowledged',
    cleared: 'Cleared',
    all: 'All'
  },
  none: {
    raised: 'No alarm waits for you.',
    acknowledged: 'No open alarm is acknowledged.',
    cleared: 'No alarm has cleared.',
    all: 'There was no alarm.'
  },
  noneHelp: 'Alarms are kept for a year.',
  showAll: 'Show all alarms',
  more: 'Show more',
  gatewayGone: 'The gateway is not connected',
  noMessage: 'Alarm',
  raisedAt: (moment: string) => `Raised ${moment}`,
  clearedAt: (moment: string, length: string) => `Cleared ${moment}, after ${length}`,
  acknowledgedBy: (who: string, moment: string) => `Acknowledged by ${who}, ${moment}`,
  acknowledgedAt: (moment: string) => `Acknowledged ${moment}`,
  you: 'you',
  user: (id: number) => `user ${id}`,
  plotOf: (name: string) => `Plot: ${name}`,
  toLiveOf: (name: string) => `Live: ${name}`,
  inRange: 'Alarms in this range',
  since: (begin: string) => `since ${begin}`,
  fromTo: (begin: string, end: string) => `${begin} – ${end}`,
  others: (n: number) => `and ${n} more: all alarms`,
  toAlarms: 'All alarms',
  acknowledge: 'Acknowledge',
  acknowledgeNamed: (title: string) => `Acknowledge: ${title}`,
  changeNote: 'Change the note',
  changeNoteNamed: (title: string) => `Change the note: ${title}`,
  note: 'Note (may be empty)',
  saveNote: 'Save the note',
  cancel: 'Cancel',
  done: (title: string) => `Acknowledged: ${title}`
}
