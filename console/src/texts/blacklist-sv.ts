import type { blacklist as en } from './blacklist-en.ts'

export const blacklist: typeof en = {
  title: 'Svartlista',
  help: 'Meddelanden på dessa ämnen nekas, eller når prenumeranter utan att lagras. Använd den mot en enhet som skickar för mycket eller strunt.',
  create: 'Ny post',
  empty: 'Inget ämne står på listan.',
  emptyHelp:
    'Alla meddelanden tas emot. Lägg till ett ämne för att neka dess meddelanden eller inte lagra dem.',
  notThere: 'Posten finns inte längre, eller så får du inte se den.',
  save: 'Spara',
  delete: 'Ta bort posten',
  deleteSure: (topic) => `Ta bort ${topic}? Dess meddelanden tas emot igen.`,
  deleteGo: 'Ta bort',
  refused:
    'Plattformen nekade detta. Den tar ämnen för installationer i dina organisationer; andra ämnen är för dem som tillhör den översta organisationen.',
  keep: 'Behåll den',
  off: 'av',
  everywhere: 'alla installationer',
  unknown: (id) => `klient-id ${id}`,
  unnamed: 'utan namn',
  count: (n) => `${n} meddelanden stoppade`,
  usedByPlatform: (n, most) => `Plattformen: ${n} av ${most} platser används`,
  used: (name, n, most) => `${name}: ${n} av ${most} platser används, så långt du ser`,
  installation: 'Installation',
  installationHelp: 'Sätter dess klient-id först i ämnet.',
  choose: 'Välj ...',
  topic: 'Ämnesfilter',
  topicHelp: 'Det börjar med ett klient-id. + är en valfri nivå, # allt som följer.',
  topicWrong: 'Det börjar med <klient-id>/ eller ett jokertecken; + och # står ensamma i sin nivå.',
  broad:
    'Ett filter som börjar med ett jokertecken gäller alla installationer. Bara de som tillhör den översta organisationen kan spara det.',
  mode: 'Vad som händer',
  block: 'Neka',
  blockHelp: 'Avsändaren får sin bekräftelse, men meddelandet går ingenstans.',
  ignore: 'Lagra inte',
  ignoreHelp: 'Prenumeranter får meddelandet, och det lagras inte.',
  reason: 'Skäl',
  reasonHelp: 'För dem som hittar posten senare.',
  enabled: 'Används'
}
