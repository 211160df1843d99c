import type { alarm as en } from './alarm-en.ts'

const alarms = (n: number, isFull: boolean): string =>
  n === 1 && !isFull ? '1 larm' : `${n}${isFull ? '+' : ''} larm`

export const alarm: typeof en = {
  title: 'Larm',
  allHelp: 'Från alla installationer vars larm du får se. Tiderna är installationens.',
  count: alarms,
  bell: (n, isFull, worst) => `${alarms(n, isFull)} ej kvitterade, det värsta: ${worst}`,
  quiet: 'Larm: inget som väntar på kvittering',
  severity: 'Allvarsgrad',
  severities: { critical: 'kritiskt', warning: 'varning', info: 'info' },
  anySeverity: 'Alla grader',
  state: 'Tillstånd',
  states: {
    raised: 'Ej kvitterade',
    acknowledged: 'Kvitterade',
    cleared: 'Upphörda',
    all: 'Alla'
  },
  none: {
    raised: 'Inget larm väntar på dig.',
    acknowledged: 'Inget pågående larm är kvitterat.',
    cleared: 'Inget larm har upphört.',
    all: 'Det har inte funnits något larm.'
  },
  noneHelp: 'Larm sparas i ett år.',
  showAll: 'Visa alla larm',
  more: 'Visa fler',
  gatewayGone: 'Gatewayen är inte ansluten',
  noMessage: 'Larm',
  raisedAt: (moment) => `Utlöst ${moment}`,
  clearedAt: (moment, length) => `Upphörde ${moment}, efter ${length}`,
  acknowledgedBy: (who, moment) => `Kvitterat av ${who}, ${moment}`,
  acknowledgedAt: (moment) => `Kvitterat ${moment}`,
  you: 'dig',
  user: (id) => `användare ${id}`,
  plotOf: (name) => `Diagram: ${name}`,
  toLiveOf: (name) => `Live: ${name}`,
  inRange: 'Larm i detta intervall',
  since: (begin) => `sedan ${begin}`,
  fromTo: (begin, end) => `${begin} – ${end}`,
  others: (n) => `och ${n} till: alla larm`,
  toAlarms: 'Alla larm',
  acknowledge: 'Kvittera',
  acknowledgeNamed: (title) => `Kvittera: ${title}`,
  changeNote: 'Ändra anteckningen',
  changeNoteNamed: (title) => `Ändra anteckningen: ${title}`,
  note: 'Anteckning (får vara tom)',
  saveNote: 'Spara anteckningen',
  cancel: 'Avbryt',
  done: (title) => `Kvitterat: ${title}`,
  chooseSeveral: 'Kvittera flera',
  chooseNamed: (title) => `Välj: ${title}`,
  chosen: (n) => (n === 0 ? 'Välj larm ovan' : n === 1 ? '1 valt' : `${n} valda`),
  chooseAll: (n) => `Välj alla ${n} som visas`,
  acknowledgeMany: (n) => (n === 0 ? 'Kvittera' : `Kvittera ${n}`),
  doneMany: (n) => `Kvitterat: ${alarms(n, false)}`,
  refusedMany: (n, why) => `${alarms(n, false)} kvitterades inte: ${why}`
}
