import type { many as en } from './many-en.ts'

export const many: typeof en = {
  selection: 'Det som är valt',
  select: (name: string) => `Välj ${name}`,
  selectAll: 'Välj alla som visas',
  selected: (n: number) => (n === 1 ? '1 vald' : `${n} valda`),
  actions: {
    set: 'Sätt metadata',
    remove: 'Ta bort metadata',
    type: 'Sätt typen',
    delete: 'Ta bort'
  },
  clear: 'Välj ingen',
  csvOut: 'CSV',
  csvIn: 'CSV in',
  cancel: 'Avbryt',
  key: 'Nyckel',
  value: 'Värde',
  apply: (n: number) => `Ändra ${n}`,
  having: (n: number, all: number) => `${n} av ${all} har den här nyckeln.`,
  deleteTitle: (n: number) => `Ta bort ${n}?`,
  deleteGo: (n: number) => `Ta bort ${n}`,
  names: (names: string, more: number) => (more > 0 ? `${names} och ${more} till` : names),
  progress: (done: number, total: number) => `${done} av ${total}`,
  done: (n: number) => (n === 1 ? '1 är ändrad.' : `${n} är ändrade.`),
  stopped: (done: number, left: number) =>
    `Stoppat: ${done} ändrade, ${left} orörda. Resten kan du göra senare.`,
  failed: (n: number) => (n === 1 ? '1 misslyckades' : `${n} misslyckades`),
  stop: 'Stoppa',
  close: 'Stäng',
  preview: 'Vad tabellen skulle ändra',
  plan: (changes: number, creations: number, same: number) =>
    `${changes} skulle ändras, ${creations} skulle skapas, ${same} blir som de är.`,
  mayNotAdd: (n: number) => `Du får inte skapa, så ${n} nya rader utelämnas.`,
  rowFaults: (n: number) => (n === 1 ? '1 rad utelämnas:' : `${n} rader utelämnas:`),
  rowFault: (line: number, why: string) => `Rad ${line}: ${why}`,
  faults: {
    'no such id': 'det finns inget sådant id här.',
    twice: 'detta id fanns på en tidigare rad.',
    'no type': 'en ny behöver en typ.',
    'too many cells': 'den har fler celler än första raden har namn.'
  },
  unreadable: {
    empty: 'Tabellen är tom.',
    'no id': 'Första raden måste ha kolumnernas namn, och ett av dem är id.',
    'column twice': 'Två kolumner har samma namn.',
    'too large': 'Tabellen är större än 10 MB.'
  },
  of: 'Namn',
  was: 'Nu',
  becomes: 'Sedan',
  removed: 'tas bort',
  isNew: 'ny',
  andMore: (n: number) => `och ${n} celler till`
}
