import type { edit as en } from './edit-en.ts'

export const edit: typeof en = {
  title: 'Någon annan ändrade det här under tiden.',
  help: 'Inget av ditt är sparat än, och inget är förlorat. Välj hur du går vidare.',
  field: 'Fält',
  was: 'Förut',
  theirs: 'Nu',
  mine: 'Ditt',
  empty: 'tomt',
  same: 'som förut',
  yes: 'ja',
  no: 'nej',
  keepMine: 'Behåll mina ändringar ovanpå',
  takeTheirs: 'Ta det som finns nu'
}
