import { account } from './account-sv.ts'
import { alarm } from './alarm-sv.ts'
import { apps as appsTexts } from './apps-sv.ts'
import { blacklist as blacklistTexts } from './blacklist-sv.ts'
import { catalogue as catalogueTexts } from './catalogue-sv.ts'
import { certificate } from './certificate-sv.ts'
import { connect } from './connect-sv.ts'
import { edit } from './edit-sv.ts'
import type { Texts } from './en.ts'
import { executors as executorsTexts } from './executors-sv.ts'
import { files as filesTexts } from './files-sv.ts'
import { gateway as gatewayTexts } from './gateway-sv.ts'
import { many } from './many-sv.ts'
import { mapping } from './mapping-sv.ts'
import { notifications as notificationsTexts } from './notifications-sv.ts'
import { organizations as organizationsTexts } from './organizations-sv.ts'
import { plot } from './plot-sv.ts'
import { refused } from './refused-sv.ts'
import { registration as registrationTexts } from './registration-sv.ts'
import { roles as rolesTexts } from './roles-sv.ts'
import { rule } from './rule-sv.ts'
import { schedules as schedulesTexts } from './schedules-sv.ts'
import { site as siteTexts } from './site-sv.ts'
import { system as systemTexts } from './system-sv.ts'
import { tell } from './tell-sv.ts'
import { trace as traceTexts } from './trace-sv.ts'
import { users as usersTexts } from './users-sv.ts'
import { valuesTexts } from './values-sv.ts'

export const sv: Texts = {
  language: 'Svenska',
  signIn: {
    title: 'Logga in',
    email: 'E-post',
    password: 'Lösenord',
    go: 'Logga in',
    code: 'Koden i sms:et',
    codeHelp: 'Vi har skickat en kod till din telefon.',
    finish: 'Slutför',
    wrong: 'E-post eller lösenord är fel.',
    wrongCode: 'Koden är fel eller för gammal. Logga in igen för en ny.',
    register: 'Registrera dig',
    lost: 'Glömt lösenordet?',
    lostHelp: 'Skriv din e-postadress, så skickar vi en länk.',
    haveKey: 'Jag har en nyckel från ett brev',
    send: 'Skicka länken',
    sent: 'Om det finns ett konto med adressen är brevet på väg.',
    back: 'Tillbaka till inloggningen',
    ended: 'Din session har avslutats. Logga in för att fortsätta; inget på sidan går förlorat.',
    wait: (seconds) => `För många försök. Försök igen om ${seconds} s.`
  },
  register: {
    title: 'Registrera dig',
    help: 'För den vars adress får registrera sig här. Ett mejl kommer med en nyckel för det första lösenordet.',
    first_name: 'Förnamn',
    last_name: 'Efternamn',
    email: 'E-post',
    go: 'Registrera',
    done: 'Om adressen får registrera sig är ett mejl med en nyckel på väg.'
  },
  newPassword: {
    title: 'Nytt lösenord',
    key: 'Nyckeln i brevet',
    keyHelp: 'Den står på en egen rad i brevet. Den gäller en gång, i 30 minuter.',
    fromMail: 'Nyckeln från ditt brev är ifylld.',
    password: 'Nytt lösenord',
    rules: (least, most) =>
      `${least} till ${most} tecken, och inte ett av de vanligaste lösenorden.`,
    again: 'Samma lösenord igen',
    different: 'De två lösenorden är inte lika.',
    tooShort: (least) => `Lösenordet behöver minst ${least} tecken.`,
    tooLong: (most) => `Lösenordet får ha högst ${most} tecken.`,
    set: 'Spara lösenordet',
    refused:
      'Nyckeln eller lösenordet godtogs inte. En nyckel gäller en gång, i 30 minuter; lösenordet får inte vara ett av de vanligaste. Du kan försöka med ett annat lösenord och samma nyckel.',
    done: 'Ditt nya lösenord är sparat. Kontots andra inloggningar har avslutats.',
    toSignIn: 'Till inloggningen'
  },
  frame: {
    manage: 'Hantera',
    installations: 'Installationer',
    main: 'Huvudmeny',
    toContent: 'Hoppa till innehållet',
    account: 'Konto',
    signOut: 'Logga ut',
    light: 'Ljust',
    dark: 'Mörkt',
    auto: 'Som systemet',
    look: 'Färger',
    api: 'API-sidan'
  },
  palette: {
    title: 'Sök',
    placeholder: 'Sök en installation, funktion, enhet …',
    choices: 'Det som hittades',
    help: 'Pilarna väljer, Enter öppnar, Esc stänger.',
    asking: 'Söker …',
    nothing: (text) => `Inget passar ${text}.`,
    failed: 'Det gick inte att söka på plattformen. Du ser det som sidan redan känner till.',
    language: 'Språk',
    groups: {
      recent: 'Senast använt',
      pages: 'Den här installationen',
      installations: 'Installationer',
      functions: 'Funktioner',
      devices: 'Enheter',
      topics: 'Ämnen',
      actions: 'Åtgärder'
    }
  },
  state: {
    live: 'direkt',
    polling: 'var 5:e s',
    pollingWhy: 'Mäklaren kan inte nås från webbläsaren, så värden läses var femte sekund.',
    connecting: 'ansluter',
    offline: (since) => `frånkopplad sedan ${since}`
  },
  control: {
    control: 'Styrning',
    choose: 'Välj ...',
    send: 'Skicka',
    cancel: 'Avbryt',
    text: 'Text',
    wrong: (bounds) => (bounds ? `Ett tal, ${bounds}` : 'Detta kan inte skickas'),
    sending: 'skickar ...',
    sent: 'skickat, väntar ...',
    confirmed: 'bekräftat',
    different: (value) => `enheten svarade ${value}`,
    silent: (since) => `inget svar sedan ${since}`,
    blind: 'skickat; den har inget ämne för svar',
    answered: (text) => (text ? `enheten svarade: ${text}` : 'enheten svarade'),
    unanswered: (seconds) => `inget svar på ${seconds} s`,
    failed: 'inte skickat: ingen anslutning',
    lost: 'ingen kvittens: det kanske inte kom fram',
    refused: (reason) => `nekat: ${reason}`,
    needsBroker:
      'För att styra behövs mäklaren, som inte kan nås från webbläsaren. Värden läses ändå.'
  },
  error: {
    title: 'Det gick inte',
    again: 'Försök igen',
    offline: 'Plattformen kan inte nås. Du ser det som senast var känt.',
    forbidden: 'Du får inte se detta. Den som hanterar roller kan ge dig behörigheten.',
    needs: (permission, on = '') =>
      `Behörigheten ${permission} ${on && `för ${on} `}saknas. Den som hanterar roller kan ge dig den.`,
    installation: 'installationen',
    organization: 'organisationen',
    user: 'användaren',
    notFound: 'Den här adressen visar ingenting.',
    toInstallations: 'Till installationerna',
    newVersion: 'Det finns en ny version av konsolen',
    newVersionHelp: 'Sidan hör till en äldre version. Ladda om den för att fortsätta.',
    reload: 'Ladda om'
  },
  functions: {
    view: 'Vad som listas',
    functions: 'Funktioner',
    devices: 'Enheter',
    filter: 'Filtrera på valfri text',
    filterType: 'Typ',
    filterMeta: 'Metadata, till exempel room=hall*',
    count: {
      functions: (n) => (n === 1 ? '1 funktion' : `${n} funktioner`),
      devices: (n) => (n === 1 ? '1 enhet' : `${n} enheter`)
    },
    countOf: (n, all) => `${n} av ${all}`,
    functionCount: (n) => (n === 1 ? '1 funktion' : `${n} funktioner`),
    columns: {
      functions: {
        name: 'Namn',
        type: 'Typ',
        room: 'Rum',
        device: 'Enhet',
        topic: 'Ämnen',
        keys: 'Metadata'
      },
      devices: {
        name: 'Namn',
        type: 'Typ',
        room: 'Rum',
        device: 'Funktioner',
        topic: 'Enhetsdata',
        keys: 'Metadata'
      }
    },
    writes: 'Ämnet för värden till enheten',
    empty: { functions: 'Det finns ingen funktion ännu.', devices: 'Det finns ingen enhet ännu.' },
    emptyHelp: {
      functions: 'En funktion ger ett ämne dess namn, rum och enhet. Skapa den första.',
      devices: 'En enhet håller ihop funktioner som hör till samma sak. Skapa den första.'
    },
    emptyAsk: 'Den som får skapa dem kan lägga till den första.',
    noneMatch: 'Inget passar filtren.',
    notThere: {
      functions: 'Funktionen finns inte längre, eller så får du inte se den.',
      devices: 'Enheten finns inte längre, eller så får du inte se den.'
    },
    close: 'Stäng',
    type: 'Typ',
    typeHelp: {
      functions: 'Vad den mäter eller gör, till exempel temperature eller switch.',
      devices: 'Varifrån den kommer, till exempel zigbee eller lora.'
    },
    typeWrong: 'En typ har 1 till 100 tecken, utan /, + och #.',
    device: 'Enhet',
    itsFunctions: 'Funktioner',
    noFunctions: 'inga',
    unknownDevice: (id) => `${id} (enheten finns inte, eller så får du inte se den)`,
    valueHidden: 'Du får inte läsa värden här.',
    noValue: 'Inget värde har kommit ännu.',
    metadata: 'Metadata',
    noMetadata: 'Det finns inga ännu.',
    protected: 'skyddad',
    protect: (key) => `Skydda ${key}`,
    protectHelp: 'Bara de som har behörighet ser och ändrar skyddade metadata.',
    addKey: 'Lägg till en nyckel',
    newKey: 'Nyckel',
    newValue: 'Värde',
    removeKey: (key) => `Ta bort ${key}`,
    undo: (key) => `Ångra ändringen av ${key}`,
    undoShort: 'Ångra',
    was: (value) => `var: ${value}`,
    willBeRemoved: 'Tas bort.',
    willBeProtected: 'Blir skyddad.',
    willBePlain: 'Blir synlig för alla som ser den.',
    keyMissing: 'Skriv en nyckel.',
    keyLong: 'En nyckel har högst 255 tecken.',
    keyDots: 'En nyckel kan inte vara bara punkter.',
    keyTaken: 'Nyckeln finns redan.',
    valueLong: 'Ett värde har högst 65 536 tecken.',
    conflict: (value) => `Någon annan har under tiden ändrat till: ${value}`,
    conflictGone: 'Någon annan har under tiden tagit bort den.',
    keepMine: 'Behåll min',
    takeTheirs: 'Ta deras',
    conflicts: 'Någon annan har ändrat samma sak. Inget är sparat än: välj vad som ska gälla.',
    gone: 'Någon annan har under tiden raderat den, så inget kan sparas.',
    partly: (left) =>
      left === 1 ? '1 ändring är inte sparad.' : `${left} ändringar är inte sparade.`,
    changes: (n) => (n === 1 ? '1 ändring' : `${n} ändringar`),
    save: 'Spara',
    saved: 'Sparat',
    discard: 'Kasta',
    stamps: (id, created, updated) => `id ${id}, skapad ${created}, ändrad ${updated}`,
    create: { functions: 'Ny funktion', devices: 'Ny enhet' },
    newHelp: 'Alla fält utom typen får vara tomma. Allt kan ändras senare.',
    suggested: {
      name: 'Namn',
      room: 'Rum',
      topic_read: 'Ämne för dess värden (topic_read)',
      topic_write: 'Ämne för värden till den (topic_write)',
      topic_response: 'Ämne för dess svar på kommandon (topic_response)',
      format: 'Format (format)',
      unit: 'Måttenhet (unit)'
    },
    delete: { functions: 'Radera funktionen', devices: 'Radera enheten' },
    deleteTitle: (name) => `Radera ${name}?`,
    deleteHelp: 'Det går inte att ångra. Lagrade värden finns kvar.',
    deleteUses: (n) =>
      n === 1
        ? '1 funktion anger enheten. Den blir kvar.'
        : `${n} funktioner anger den. De blir kvar.`,
    deleteGo: 'Radera',
    keep: 'Behåll',
    unsaved: 'Lämna utan att spara?',
    unsavedHelp: 'Dina ändringar är inte sparade ännu.',
    stay: 'Stanna här',
    leave: 'Lämna, och förlora ändringarna'
  },
  installations: {
    title: 'Installationer',
    count: (n) => (n === 1 ? '1 installation' : `${n} installationer`),
    silent: (n) => `${n} med tysta ämnen`,
    alarming: (n) => `${n} med larm`,
    connected: (n) => (n === 1 ? '1 gateway ansluten' : `${n} gateways anslutna`),
    gone: (n) => (n === 1 ? '1 gateway borta' : `${n} gateways borta`),
    all: 'Alla',
    attention: 'Behöver tillsyn',
    assigned: 'Tilldelade mig',
    cards: 'Kort',
    table: 'Tabell',
    filter: 'Filtrera på namn',
    view: 'Vy',
    perMinute: 'värden i minuten',
    allFresh: (topics) => (topics === 1 ? 'Dess ämne är färskt' : `Alla ${topics} ämnen färska`),
    someSilent: (silent, topics) => `${silent} av ${topics} ämnen tysta`,
    noValues: 'Inget värde ännu',
    last: (age) => `senaste värdet ${age}`,
    add: 'Ny installation',
    nameHelp: 'Huset, anläggningen eller platsen vars enheter hör ihop.',
    zone: 'Tidszon',
    zoneHelp: 'Där börjar och slutar dygnen. Ett IANA-namn, till exempel Europe/Stockholm.',
    make: 'Skapa',
    close: 'Stäng',
    makeHelp: 'Skapa den första. Anslut sedan en enhet till den.',
    empty: 'Du ser ingen installation ännu.',
    emptyHelp: 'Den som hanterar installationer kan tilldela dig en.',
    noneMatch: 'Ingen installation passar.',
    name: 'Namn',
    topics: 'Ämnen',
    lastValue: 'Senaste värde'
  },
  installation: {
    tabs: 'Installationens vyer',
    board: 'Tavla',
    live: 'Direkt',
    plot: 'Diagram',
    functions: 'Funktioner och enheter',
    alarms: 'Larm',
    rules: 'Regler',
    mappings: 'Mappningar',
    connect: 'Anslut en enhet',
    manage: 'Hantera',
    refused: 'Nekade meddelanden',
    schedules: schedulesTexts.title,
    gateway: gatewayTexts.title,
    apps: appsTexts.title,
    notifications: notificationsTexts.title,
    files: filesTexts.title,
    values: valuesTexts.title,
    trace: traceTexts.title,
    site: siteTexts.title,
    functionsShort: 'Funktioner',
    more: 'Mer',
    others: 'Alla installationer',
    clientId: (id) => `klient-id ${id}`,
    fresh: (fresh, topics) => `${fresh} av ${topics} ämnen färska`,
    rate: (n) => `${n} värden i minuten`
  },
  gateway: {
    connected: 'Gateway ansluten',
    connectedFor: (age) => `Gateway ansluten i ${age}`,
    gone: 'Gateway inte ansluten',
    goneNow: 'Gateway kopplades nyss ned',
    goneFor: (age) => `Gateway borta i ${age}`,
    since: (moment) => `sedan ${moment}`
  },
  board: {
    empty: 'Här finns inget ännu.',
    emptyHelp:
      'Gör ett diagram och spara det på tavlan: den blir då installationens första sida, för alla.',
    emptyOther: 'Den som får ändra installationen kan spara diagram här.',
    toPlot: 'Gör ett diagram',
    open: 'Öppna i Diagram',
    openNamed: (title) => `Öppna i Diagram: ${title}`,
    edit: 'Ändra tavlan',
    editing: 'Tavlan ändras',
    save: 'Spara',
    cancel: 'Avbryt',
    title: 'Rubrik',
    titleOf: (title) => `Rubrik för ${title}`,
    up: (title) => `Flytta ${title} uppåt`,
    down: (title) => `Flytta ${title} nedåt`,
    remove: (title) => `Ta bort ${title}`,
    removed: (title) => `${title} tas bort när du sparar.`,
    undo: 'Ångra',
    conflict:
      'Någon annan ändrade tavlan medan du arbetade med den. Dina ändringar finns kvar här.',
    saveOver: 'Spara mina i stället',
    takeTheirs: 'Visa deras, kasta mina',
    needsTitle: 'Ett diagram behöver en rubrik.',
    more: (n) => `och ${n} till`,
    newest: 'Nyaste värdena'
  },
  live: {
    function: 'Funktion',
    day: 'Senaste dygnet',
    value: 'Värde',
    age: 'Ålder',
    all: 'Alla',
    silent: 'Tysta',
    silentSince: 'tyst',
    filter: 'Filtrera på namn eller ämne',
    elsewhere: 'Utan rum',
    copy: 'Kopiera ämnet',
    copied: 'Kopierat',
    empty: 'Inget värde har kommit ännu.',
    emptyHelp: (topic) => `Värden på ämnen som ${topic} visas här när de kommer.`,
    connect: 'Anslut en enhet',
    noValue: 'inget värde ännu',
    noneMatch: 'Inget ämne passar.'
  },
  alarm,
  certificate,
  account,
  connect,
  edit,
  many,
  mapping,
  refused,
  values: valuesTexts,
  schedules: schedulesTexts,
  gatewayPage: gatewayTexts,
  apps: appsTexts,
  notifications: notificationsTexts,
  files: filesTexts,
  trace: traceTexts,
  site: siteTexts,
  organizations: organizationsTexts,
  users: usersTexts,
  roles: rolesTexts,
  registration: registrationTexts,
  blacklist: blacklistTexts,
  executors: executorsTexts,
  catalogue: catalogueTexts,
  system: systemTexts,
  plot,
  rule,
  tell,
  age: {
    now: 'nu',
    seconds: (n) => `${n} s`,
    minutes: (n) => `${n} min`,
    hours: (h, min) => (min > 0 ? `${h} h ${min} min` : `${h} h`),
    days: (d) => (d === 1 ? '1 dygn' : `${d} dygn`),
    future: 'i framtiden'
  }
}
