import type { catalogue as en } from './catalogue-en.ts'

export const catalogue: typeof en = {
  title: 'Katalog över edge-appar',
  intro:
    'Edge-appar körs på gatewayer. Här finns de som du kan installera och de som dina organisationer publicerar.',
  empty: 'Det finns ingen edge-app ännu.',
  emptyHelp: 'Skapa en, ladda upp dess filer och publicera en version.',
  emptyAsk: 'Någon som får skapa edge-appar kan lägga till den första.',
  notThere: 'Appen finns inte längre, eller så får du inte se den.',
  private: 'inte offentlig',
  organizationNumber: (id) => `Organisation ${id}`,
  fields: {
    name: 'Namn',
    publisher: 'Utgivare',
    short_description: 'På en rad',
    description: 'Beskrivning',
    category: 'Kategori',
    tags: 'Taggar',
    source_url: 'Källkodens adress',
    public: 'Offentlig',
    official: 'Officiell'
  },
  help: {
    publisher: 'Den kan inte ändras senare.',
    tags: 'Med komma emellan.',
    public: 'Alla organisationer ser den när en version är publicerad.',
    official: 'Plattformen går i god för den.'
  },
  create: 'Ny app',
  save: 'Spara',
  delete: 'Ta bort appen',
  deleteSure: (name) => `Ta bort ${name} med alla versioner?`,
  deleteGo: 'Ta bort',
  keep: 'Behåll den',
  versions: 'Versioner',
  noVersion: 'Det finns ingen version ännu. Ladda upp filerna nedan.',
  nothingPublished: 'Ingen version är publicerad ännu.',
  allVersions: (n) => `Visa alla ${n}`,
  unpublished: 'inte publicerad',
  downloadOf: (file, version) => `Ladda ner ${file} i ${version}`,
  versionName: (hash) => `Namn på ${hash}`,
  publishHelp: 'Till exempel 1.0. Det kan inte ändras senare.',
  publish: 'Publicera',
  uploadTitle: 'Ladda upp en version',
  uploadHelp:
    'Den första versionen behöver båda filerna. Sedan räcker en: den andra förblir som den var.',
  choose: (file) => `Välj ${file}`,
  notChosen: 'inte vald',
  upload: 'Ladda upp',
  uploaded: (hash) => `Version ${hash} finns. Publicera den när den är bra.`,
  sameFiles: 'Detta är filerna i den senaste versionen. Inget ändrades.'
}
