import { permissionGroups, permissionTexts } from './permissions-sv.ts'
import type { roles as en } from './roles-en.ts'

export const roles: typeof en = {
  title: 'Roller',
  help: 'En roll säger vad dess användare får göra. Varje användare har en roll.',
  view: 'Vad som visas',
  list: 'Roller',
  why: 'Varför får den här användaren?',
  organization: (id) => `organisation ${id}`,
  platform: 'Plattformen',
  ofPlatform: 'Plattformens roller',
  of: (organization) => `Roller i ${organization}`,
  empty: 'Det finns ingen roll som du får se.',
  filter: 'Filtrera roller',
  filterAny: 'Filtrera',
  nothingMatches: 'Inget passar.',
  noneMatch: 'Ingen roll passar.',
  more: 'Visa fler',
  everything: 'allt',
  grants: (n) => (n === 1 ? '1 behörighet' : `${n} behörigheter`),
  priorityOf: (n) => `prioritet ${n}`,
  own: 'din roll',
  notThere: 'Rollen finns inte längre, eller så får du inte se den.',
  create: 'Ny roll',
  save: 'Spara',
  delete: 'Ta bort rollen',
  deleteSure: (name) => `Ta bort rollen ${name}? Roller som någon har blir kvar.`,
  deleteGo: 'Ta bort',
  keep: 'Behåll den',
  name: 'Namn',
  priority: 'Prioritet',
  priorityHelp: (most) =>
    `Ingen kan ändra användare eller roller med högre prioritet än sin egen. Din är ${most}.`,
  priorityWrong: 'Ett heltal från 0 till 1 000 000.',
  priorityHigh: 'Det är mer än din egen.',
  place: 'För användare i',
  placeHelp: 'Den syns och ges där och i organisationer under. Det går inte att ändra senare.',
  permissions: 'Behörigheter',
  filterPermissions: 'Filtrera behörigheter',
  noPermission: 'Ingen behörighet passar.',
  countOf: (n, all) => `${n} av ${all}`,
  all: 'alla',
  assigned: 'tilldelade',
  scopes:
    'alla: på alla installationer i användarens organisationer och under dem. tilldelade: på installationer som är tilldelade användaren.',
  covered: (pattern) => `ingår i ${pattern}`,
  beyond: 'Du har den inte, så du kan inte ge den.',
  patterns: 'Mönster och andra namn',
  patternsHelp:
    'Ett mönster omfattar många namn, även i senare versioner: + är en valfri nivå, # allt som följer. Ett tal först är en installations id, och resten gäller bara där.',
  pattern: 'Mönster eller namn',
  addPattern: 'Lägg till',
  removePattern: (pattern) => `Ta bort ${pattern}`,
  patternWrong: '+ står ensamt mellan snedstreck, # står ensamt sist.',
  patternThere: 'Rollen har det redan.',
  coversAll: 'Allt, nu och senare.',
  coversNone: 'Inget namn som plattformen känner till.',
  coversSome: (names) => `Omfattar ${names}.`,
  andMore: (n) => `och ${n} till`,
  onInstallation: (name) => `Bara på ${name}.`,
  locked: {
    administrator: 'Rollen kan inte ändras, så att någon alltid kan laga de andra.',
    top: 'Bara de som tillhör den översta organisationen ändrar plattformens roller.',
    priority: 'Den har högre prioritet än din roll, så du kan inte ändra den.',
    beyond: (grants) =>
      `Den tillåter sådant som du inte själv får göra, så du kan inte ändra den: ${grants}.`,
    permission: 'För att ändra roller behöver du behörigheten role/update.'
  },
  refused:
    'Plattformen nekade detta. Plattformens roller ändras av dem som tillhör den översta organisationen, och ingen ger en behörighet eller prioritet utöver sin egen.',
  comesWith: 'Rollen följer med plattformen och kan inte tas bort.',
  user: 'Användare',
  permission: 'Behörighet',
  permissionHelp: 'Ett namn, till exempel log/read, log/read/all eller functionx/zwave/view.',
  installation: 'Installation',
  installationHelp: 'Utan en säger svaret bara om rollen har den.',
  anywhere: 'ingen',
  onlyOwn: 'Du kan fråga om dig själv. För att fråga om andra behöver du permission/explain.',
  choose: 'Välj en användare och en behörighet. Svaret nämner vad som tillåter det och rollen.',
  yes: 'Ja',
  no: 'Nej',
  aRole: 'användarens roll',
  theRole: (name) => `rollen ${name}`,
  mayDo: (who, what, where) =>
    where ? `${who} får använda ${what} på ${where}.` : `${who} har ${what}.`,
  mayNot: (who, what, where) =>
    where ? `${who} får inte använda ${what} på ${where}.` : `${who} har inte ${what}.`,
  byGrant: (grant, role) => `${grant} i ${role} tillåter det.`,
  byOrganization: (organization) =>
    `Det gäller i ${organization} och under, där installationen är.`,
  byAssignment: 'Det gäller på tilldelade installationer, och denna är tilldelad användaren.',
  byInstallation: 'Det nämner denna installation.',
  noGrant: (role) => `Inget i ${role} omfattar det.`,
  unreached: {
    organization: (grant, role) =>
      `${grant} i ${role} skulle tillåta det, men installationen är inte i någon av användarens organisationer.`,
    assignment: (grant, role) =>
      `${grant} i ${role} skulle tillåta det, men installationen är inte tilldelad användaren.`
  },
  scopeAll:
    'Det gäller på installationer i användarens organisationer och under: välj en för att se.',
  scopeAssigned: 'Det gäller på installationer som är tilldelade användaren: välj en för att se.',
  notAbout: 'Behörigheten gäller inte en enskild installation. Fråga utan en.',
  hidden: 'Du får inte se användaren eller installationen, eller så finns de inte.',
  openRole: 'Öppna rollen',
  names: permissionTexts as Readonly<Record<string, string>>,
  groups: permissionGroups as Readonly<Record<string, string>>
}
