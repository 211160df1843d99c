import type { site as en } from './site-en.ts'

export const site: typeof en = {
  title: 'Inställningar',
  general: 'Allmänt',
  fields: {
    name: 'Namn',
    notes: 'Anteckningar',
    timezone: 'Tidszon',
    organization_id: 'Organisation'
  },
  zoneHelp: 'Där börjar och slutar dygnet. Ett IANA-namn, till exempel Europe/Stockholm.',
  zoneEmpty: 'som plattformen',
  moveHelp:
    'Den som sköter den andra organisationen sköter då installationen, och dess regler gäller.',
  nameMissing: 'Skriv ett namn.',
  save: 'Spara',
  discard: 'Ångra',
  saved: 'Sparat.',
  mayOnlyLook: 'Du får titta men inte ändra. Det kräver behörigheten installation/update.',
  people: 'Personer',
  peopleHelp:
    'De ser installationen för att den är tilldelad dem. Andra kan se den genom sin organisation.',
  nobody: 'Den är inte tilldelad någon än.',
  unknownUser: (id: number) => `Användare ${id}`,
  unknownHelp: 'Du får inte se det här kontot, så du kan inte ta bort det.',
  add: 'Lägg till någon',
  addPlaceholder: 'Namn eller e-postadress',
  addGo: 'Lägg till',
  noneFound: 'Ingen annan som du ser passar.',
  remove: 'Ta bort',
  removeNamed: (name: string) => `Ta bort ${name}`,
  removeQuestion: (name: string) => `Ta bort ${name}?`,
  removeGo: 'Ta bort',
  keep: 'Behåll',
  mayNotAssign:
    'Det nekades. Du kan inte lägga till någon som får göra mer än du, eller som du inte får se.',
  metadata: 'Metadata',
  retention: 'Hur länge värden sparas',
  keptForEver: 'Värden sparas för alltid.',
  keptDays: (days: string) => `Värden sparas i ${days} dagar, sedan raderas de.`,
  keptBy: {
    here: 'Det är bestämt här.',
    above: 'En organisation ovanför, eller plattformen, har bestämt det.'
  },
  days: 'Dagar för installationen',
  daysHelp:
    'Lämna tomt för att spara värden så länge som organisationen och plattformen gör. Den kortaste tiden gäller. Det senaste värdet i varje ämne finns alltid kvar.',
  daysWrong: 'Ett helt antal dagar, från 1 till 36 500.',
  daysAsk: 'Bara den som hör till den översta organisationen kan ändra det.',
  shorterTitle: 'Radera äldre värden?',
  shorter: (days: string) =>
    `Värden som är äldre än ${days} dagar raderas. De kan inte hämtas tillbaka.`,
  shorterGo: 'Ställ in, och radera äldre värden',
  usage: 'Användning och kvoter',
  usageHelp: 'Vad som används, och det mesta som är tillåtet. Det som går över nekas.',
  names: {
    messages_per_second: 'Värden per sekund',
    topics: 'Ämnen',
    history_bytes_per_day: 'Nya värden i dag (UTC)',
    history_bytes: 'Sparade värden',
    files: 'Filer',
    file_bytes: 'Alla filers storlek',
    connections: 'MQTT-anslutningar',
    filters: 'MQTT-prenumerationer'
  },
  usedOf: (used: string, quota: string) => `${used} av ${quota}`,
  noQuota: (used: string) => `${used}, ingen gräns`,
  nearly: 'nästan slut',
  usedUp: 'slut',
  raise: 'Den som hör till den översta organisationen kan höja en kvot.',
  export: 'Export',
  values: 'Värden som en fil',
  whole: 'Hela installationen',
  wholeHelp:
    'En fil med inställningar, skyddade metadata, funktioner, enheter, regler, scheman, notiser, edge-appar, filer och alla värden. Den som driver en annan plattform kan läsa in den med kommandot import.',
  wholeLeft:
    'Filen har inte: personer, nycklar, gatewayens inloggning och spårningen. Nedladdningen börjar när filen är klar.',
  delete: 'Radera installationen',
  deleteHelp: 'Allt i den försvinner, med alla värden. Det kan inte ångras.',
  deleteTitle: (name: string) => `Radera ${name}?`,
  goes: 'Det här försvinner för alltid:',
  counts: {
    functions: (n: number, text: string) => (n === 1 ? '1 funktion' : `${text} funktioner`),
    devices: (n: number, text: string) => (n === 1 ? '1 enhet' : `${text} enheter`),
    values: (size: string, n: number, text: string) =>
      `alla värden: ${size} i ${n === 1 ? '1 ämne' : `${text} ämnen`}`,
    schedules: (n: number, text: string) => (n === 1 ? '1 schema' : `${text} scheman`),
    rules: (n: number, text: string) =>
      n === 1 ? '1 regel, och dess larm' : `${text} regler, och deras larm`,
    mappings: (n: number, text: string) => (n === 1 ? '1 mappning' : `${text} mappningar`),
    messages: (n: number, text: string) =>
      n === 1 ? '1 aviseringsmeddelande' : `${text} aviseringsmeddelanden`,
    outputs: (n: number, text: string) =>
      n === 1 ? '1 aviseringsutgång' : `${text} aviseringsutgångar`,
    apps: (n: number, text: string) => (n === 1 ? '1 edge-app' : `${text} edge-appar`),
    files: (n: number, text: string) => (n === 1 ? '1 fil' : `${text} filer`),
    people: (n: number, text: string) =>
      n === 1 ? '1 person förlorar den ur sin lista' : `${text} personer förlorar den ur sin lista`
  },
  rest: 'dess tavla, dess metadata och uppgifterna för dess gateway',
  typeName: (name: string) => `Skriv ${name} för att bekräfta`,
  deleteGo: 'Radera den för alltid',
  deleteAsk: 'För att radera den krävs behörigheten installation/delete.'
}
