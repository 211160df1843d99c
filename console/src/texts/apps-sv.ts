import type { apps as en } from './apps-en.ts'

export const apps: typeof en = {
  title: 'Edge-appar',
  help: 'En edge-app körs på installationens gateway. Gatewayen hämtar skriptet och det som ställs in här.',
  install: 'Installera en app',
  empty: 'Ingen app är installerad här.',
  emptyHelp: 'Välj en ur katalogen och ställ in det som den behöver veta.',
  emptyAsk: 'Någon som får konfigurera edge-appar kan installera den första.',
  notThere: 'Appen är inte längre installerad här, eller så får du inte se den.',
  appGone: 'Appen finns inte längre i katalogen, eller så får du inte se den.',
  appNumber: (id) => `App ${id}`,
  needsList: 'För att installera behöver du även behörigheten edge/app/list.',
  versionIs: (version) => `version ${version}`,
  isNewer: (version) => `${version} finns`,
  changed: (moment) => `ändrad ${moment}`,
  find: 'Sök en app',
  noneMatch: 'Ingen app passar.',
  emptyCatalogue: 'Katalogen har ingen app som du får använda.',
  more: (n) => `${n} till. Skriv en del av namnet.`,
  official: 'officiell',
  by: (publisher) => `av ${publisher}`,
  noVersion: 'Appen har ingen version ännu, så den kan inte installeras.',
  name: 'Namn',
  nameHelp: 'Vad den heter på den här installationen.',
  version: 'Version',
  unnamed: (hash) => `${hash} (inte publicerad)`,
  newer: (version) => `Version ${version} finns.`,
  updateTo: (version) => `Uppdatera till ${version}`,
  nothingToSet: 'Den här versionen har inget att ställa in.',
  noDescription: 'Vad versionen behöver veta kan inte läsas. Värdena visas som JSON.',
  others: 'Andra värden',
  othersHelp: 'Versionen nämner dem inte. Töm ett för att ta bort det.',
  asJson: 'Skrivs som JSON.',
  between: (min, max) =>
    min !== undefined && max !== undefined
      ? `Från ${min} till ${max}.`
      : min !== undefined
        ? `Minst ${min}.`
        : max !== undefined
          ? `Högst ${max}.`
          : '',
  atLeast: (limit) => `Minst ${limit}.`,
  atMost: (limit) => `Högst ${limit}.`,
  noNumber: 'Detta är inget tal.',
  noJson: 'Detta är inte JSON.',
  gone: (id) => `id ${id}, finns inte`,
  nothingFits: 'Inget passar.',
  clear: (name) => `Töm: ${name}`,
  textFor: (name) => `Värde för ${name}`,
  addRow: (name) => `Lägg till i ${name}`,
  removeRow: (n) => `Ta bort nummer ${n}`,
  rowOf: (name, n) => `${name} ${n}`,
  incomplete: 'Fyll i det som saknas eller är fel.',
  create: 'Installera',
  save: 'Spara',
  delete: 'Ta bort appen',
  deleteSure: (name) => `Ta bort ${name} och dess konfiguration? Gatewayen slutar köra den.`,
  deleteGo: 'Ta bort',
  keep: 'Behåll den'
}
