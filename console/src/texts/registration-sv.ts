import type { registration as en } from './registration-en.ts'

export const registration: typeof en = {
  title: 'Registrering',
  people: 'Personer',
  peopleHelp:
    'Den som har en adress som passar får registrera sig och får en nyckel med e-post. Den snävaste regeln gäller: en adress före en domän före resten.',
  create: 'Ny regel',
  empty: 'Ingen får registrera sig.',
  emptyHelp:
    'Nya användare skapas av dem som hanterar användare. Lägg till en regel för att låta personer registrera sig.',
  notThere: 'Regeln finns inte längre, eller så får du inte se den.',
  save: 'Spara',
  saved: 'Sparat.',
  delete: 'Ta bort regeln',
  deleteSure: (pattern) =>
    `Ta bort ${pattern}? Registreringar som inte är bekräftade försvinner med den. Användare blir kvar.`,
  deleteGo: 'Ta bort',
  refused:
    'Plattformen nekade detta. Rollen får inte vara mer än din egen, och du måste nå organisationen.',
  keep: 'Behåll den',
  locked: 'Du får se regeln. För att ändra den behöver du registration/policy/update.',
  pattern: 'E-postadress',
  patternHelp: '* står för valfri text på sin sida om @, till exempel *@example.com.',
  patternWrong: 'En adress har ett @ och inga mellanslag.',
  how: 'Var de hör hemma',
  join: 'De går med i organisationen',
  below: 'Var och en får en egen organisation under den',
  belowHelp: 'Den får personens namn.',
  place: 'Organisation',
  role: 'Roll',
  roleHelp: 'Den får inte vara mer än din egen, och inte ha administratörers rättigheter.',
  roleOf: (id) => (id === 3 ? 'User' : `roll ${id}`),
  joins: (organization, role) => `går med i ${organization} som ${role}`,
  getsOwn: (organization, role) => `får en egen organisation under ${organization}, som ${role}`,
  gateways: 'Gatewayer',
  gatewaysHelp: 'En gateway behöver en inloggning. Här tillåter du dem utan att välja den själva.',
  allow: 'Ta emot gatewayer som inte är registrerade',
  allowHelp:
    'Det första lösenord som används för en installation utan inloggning blir dess inloggning. Stäng av när alla gatewayer är på plats.',
  gatewayPlace: 'Bara för installationer i',
  gatewayPlaceHelp: 'Och i organisationer under den.',
  gatewaysLocked: 'Bara de som tillhör den översta organisationen ändrar detta.'
}
