import type { valuesTexts as en } from './values-en.ts'

const values = (n: number) => (n === 1 ? '1 värde' : `${n.toLocaleString('sv')} värden`)

export const valuesTexts: typeof en = {
  title: 'Värden som filer',
  out: 'Värden ut',
  outHelp: 'Historiska värden som en fil, så som de är sparade. Varje värde är en rad.',
  topics: 'Ämnen',
  topicsHelp: 'Ämnen eller filter med + och #. Tomt: alla.',
  topicsToDelete: 'Ämnen eller filter med + och #.',
  noTopics: 'Inga ämnen',
  from: 'Från',
  to: 'Till',
  endHelp: { from: 'Tomt: det äldsta värdet', to: 'Tomt: det nyaste värdet' },
  format: 'Format',
  download: 'Ladda ner',
  stop: 'Stoppa',
  came: (size) => `${size} hittills`,
  in: 'Värden in',
  inHelp:
    'Historiska värden från en CSV- eller NDJSON-fil, även packad med gzip. Ett värde som redan finns sparas inte två gånger. Prenumeranter får inte veta det.',
  choose: 'Välj en fil',
  reading: (name) => `Läser ${name}`,
  stopped: 'Stoppad. Det som hade lästs är sparat.',
  imported: (n, rejected) =>
    `${values(n)} sparade, ${rejected === 1 ? '1 rad' : `${rejected} rader`} avvisade`,
  line: (line, message) => `Rad ${line}: ${message}`,
  more: (n) => `och ${n} till`,
  delete: 'Radera värden',
  deleteHelp: 'För värden som en trasig givare har skickat. Säkerhetskopior har dem kvar.',
  count: 'Räkna dem först',
  question: (n) => `Radera ${values(n)}?`,
  between: (from, to) => `Från ${from} till ${to}, av`,
  forGood: 'De försvinner för alltid, och de senaste värdena följer med.',
  keep: 'Behåll dem',
  go: (n) => `Radera ${values(n)}`,
  deleted: (n) => `${values(n)} raderade`
}
