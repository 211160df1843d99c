import { account } from './account-en.ts'
import { alarm } from './alarm-en.ts'
import { apps as appsTexts } from './apps-en.ts'
import { blacklist as blacklistTexts } from './blacklist-en.ts'
import { catalogue as catalogueTexts } from './catalogue-en.ts'
import { certificate } from './certificate-en.ts'
import { connect } from './connect-en.ts'
import { edit } from './edit-en.ts'
import { executors as executorsTexts } from './executors-en.ts'
import { files as filesTexts } from './files-en.ts'
import { gateway as gatewayTexts } from './gateway-en.ts'
import { many } from './many-en.ts'
import { mapping } from './mapping-en.ts'
import { notifications as notificationsTexts } from './notifications-en.ts'
import { organizations as organizationsTexts } from './organizations-en.ts'
import { plot } from './plot-en.ts'
import { refused } from './refused-en.ts'
import { registration as registrationTexts } from './registration-en.ts'
import { roles as rolesTexts } from './roles-en.ts'
import { rule } from './rule-en.ts'
import { schedules as schedulesTexts } from './schedules-en.ts'
import { site as siteTexts } from './site-en.ts'
import { system as systemTexts } from './system-en.ts'
import { tell } from './tell-en.ts'
import { trace as traceTexts } from './trace-en.ts'
import { users as usersTexts } from './users-en.ts'
import { valuesTexts } from './values-en.ts'

export const en = {
  language: 'English',
  signIn: {
    title: 'Sign in',
    email: 'E-mail',
    password: 'Password',
    go: 'Sign in',
    code: 'Code of the text message',
    codeHelp: 'We sent a code to your phone.',
    finish: 'Finish',
    wrong: 'E-mail or password is wrong.',
    wrongCode: 'The code is wrong or too old. Sign in again for another one.',
    register: 'Register',
    lost: 'Lost the password?',
    lostHelp: 'Write your e-mail address, and we send you a link.',
    haveKey: 'I have a key from a mail',
    send: 'Send the link',
    sent: 'If there is an account with this address, the mail is on its way.',
    back: 'Back to sign-in',
    ended: 'Your session has ended. Sign in to go on; nothing on this page is lost.',
    wait: (seconds: number) => `Too many tries. Try again in ${seconds} s.`
  },
  register: {
    title: 'Register',
    help: 'For those whose address may register here. A mail comes with a key for the first password.',
    first_name: 'First name',
    last_name: 'Last name',
    email: 'E-mail',
    go: 'Register',
    done: 'If this address may register, a mail with a key is on its way.'
  },
  newPassword: {
    title: 'New password',
    key: 'Key of the mail',
    keyHelp: 'The mail has it on a line of its own. It works once, for 30 minutes.',
    fromMail: 'The key of your mail is filled in.',
    password: 'New password',
    rules: (least: number, most: number) =>
      `${least} to ${most} characters, and not one of the most common passwords.`,
    again: 'The same password again',
    different: 'The two passwords are not the same.',
    tooShort: (least: number) => `The password needs at least ${least} characters.`,
    tooLong: (most: number) => `The password may have at most ${most} characters.`,
    set: 'Set the password',
    refused:
      'The key or the password was not accepted. A key works once, for 30 minutes; a password must not be one of the most common ones. You can try another password with the same key.',
    done: 'Your new password is set. Other sign-ins of this account have ended.',
    toSignIn: 'To sign-in'
  },
  frame: {
    manage: 'Manage',
    installations: 'Installations',
    main: 'Main',
    toContent: 'Skip to the content',
    account: 'Account',
    signOut: 'Sign out',
    light: 'Light',
    dark: 'Dark',
    auto: 'As the system',
    look: 'Colours',
    api: 'API page'
  },
  palette: {
    title: 'Find',
    placeholder: 'Find an installation, function, device …',
    choices: 'What was found',
    help: 'Arrows choose, Enter opens, Esc closes.',
    asking: 'Looking …',
    nothing: (text: string) => `Nothing matches ${text}.`,
    failed: 'The platform could not be searched. You see what this page knows.',
    language: 'Language',
    groups: {
      recent: 'Last used',
      pages: 'This installation',
      installations: 'Installations',
      functions: 'Functions',
      devices: 'Devices',
      topics: 'Topics',
      actions: 'Actions'
    }
  },
  state: {
    live: 'live',
    polling: 'every 5 s',
    pollingWhy:
      'The broker cannot be reached from the browser, so values are read every 5 seconds.',
    connecting: 'connecting',
    offline: (since: string) => `offline since ${since}`
  },
  control: {
    control: 'Control',
    choose: 'Choose ...',
    send: 'Send',
    cancel: 'Cancel',
    text: 'Text',
    wrong: (bounds: string) => (bounds ? `A number, ${bounds}` : 'This cannot be sent'),
    sending: 'sending ...',
    sent: 'sent, waiting ...',
    confirmed: 'confirmed',
    different: (value: string) => `the device answered ${value}`,
    silent: (since: string) => `no answer since ${since}`,
    blind: 'sent; it has no topic for answers',
    answered: (text: string) => (text ? `the device answered: ${text}` : 'the device answered'),
    unanswered: (seconds: number) => `no answer in ${seconds} s`,
    failed: 'not sent: no connection',
    lost: 'no acknowledgement: it may not have arrived',
    refused: (reason: string) => `refused: ${reason}`,
    needsBroker:
      'Switching needs the broker, which cannot be reached from this browser. Values are still read.'
  },
  error: {
    title: 'This did not work',
    again: 'Try again',
    offline: 'The platform cannot be reached. What you see is what was last known.',
    forbidden: 'You may not see this. Somebody who manages roles can give you the permission.',
    needs: (permission: string, on = '') =>
      `The permission ${permission} ${on && `on ${on} `}is missing. Somebody who manages roles can give it to you.`,
    installation: 'the installation',
    organization: 'the organization',
    user: 'the user',
    notFound: 'This address shows nothing.',
    toInstallations: 'To the installations',
    newVersion: 'A new version of the console is there',
    newVersionHelp: 'This page belongs to an older version. Reload it to go on.',
    reload: 'Reload'
  },
  functions: {
    view: 'What to list',
    functions: 'Functions',
    devices: 'Devices',
    filter: 'Filter by any text',
    filterType: 'Type',
    filterMeta: 'Metadata, such as room=hall*',
    count: {
      functions: (n: number) => (n === 1 ? '1 function' : `${n} functions`),
      devices: (n: number) => (n === 1 ? '1 device' : `${n} devices`)
    },
    countOf: (n: number, all: number) => `${n} of ${all}`,
    functionCount: (n: number) => (n === 1 ? '1 function' : `${n} functions`),
    columns: {
      functions: {
        name: 'Name',
        type: 'Type',
        room: 'Room',
        device: 'Device',
        topic: 'Topics',
        keys: 'Metadata'
      },
      devices: {
        name: 'Name',
        type: 'Type',
        room: 'Room',
        device: 'Functions',
        topic: 'Device data',
        keys: 'Metadata'
      }
    },
    writes: 'The topic for values to the device',
    empty: { functions: 'There is no function yet.', devices: 'There is no device yet.' },
    emptyHelp: {
      functions: 'A function gives a topic its name, its room and its unit. Create the first one.',
      devices: 'A device keeps functions together that belong to one thing. Create the first one.'
    },
    emptyAsk: 'Somebody who may create them can add the first one.',
    noneMatch: 'Nothing matches these filters.',
    notThere: {
      functions: 'This function does not exist any more, or you may not see it.',
      devices: 'This device does not exist any more, or you may not see it.'
    },
    close: 'Close',
    type: 'Type',
    typeHelp: {
      functions: 'What it measures or does, such as temperature or switch.',
      devices: 'Where it comes from, such as zigbee or lora.'
    },
    typeWrong: 'A type has 1 to 100 characters, without /, + and #.',
    device: 'Device',
    itsFunctions: 'Functions',
    noFunctions: 'none',
    unknownDevice: (id: string) => `${id} (there is no such device, or you may not see it)`,
    valueHidden: 'You may not read values here.',
    noValue: 'No value has arrived yet.',
    metadata: 'Metadata',
    noMetadata: 'There is none yet.',
    protected: 'protected',
    protect: (key: string) => `Protect ${key}`,
    protectHelp: 'Only those with a permission for it see and change protected metadata.',
    addKey: 'Add a key',
    newKey: 'Key',
    newValue: 'Value',
    removeKey: (key: string) => `Remove ${key}`,
    undo: (key: string) => `Undo the change of ${key}`,
    undoShort: 'Undo',
    was: (value: string) => `was: ${value}`,
    willBeRemoved: 'Will be removed.',
    willBeProtected: 'Will be protected.',
    willBePlain: 'Will be visible to all who see it.',
    keyMissing: 'Write a key.',
    keyLong: 'A key has at most 255 characters.',
    keyDots: 'A key cannot be only dots.',
    keyTaken: 'This key is there already.',
    valueLong: 'A value has at most 65 536 characters.',
    conflict: (value: string) => `Somebody else has changed this meanwhile, to: ${value}`,
    conflictGone: 'Somebody else has removed this meanwhile.',
    keepMine: 'Keep mine',
    takeTheirs: 'Take theirs',
    conflicts: 'Somebody else changed the same. Nothing is saved yet: choose what holds.',
    gone: 'Somebody else has deleted it meanwhile, so nothing can be saved.',
    partly: (left: number) =>
      left === 1 ? '1 change is not saved.' : `${left} changes are not saved.`,
    changes: (n: number) => (n === 1 ? '1 change' : `${n} changes`),
    save: 'Save',
    saved: 'Saved',
    discard: 'Discard',
    stamps: (id: string, created: string, updated: string) =>
      `id ${id}, created ${created}, changed ${updated}`,
    create: { functions: 'New function', devices: 'New device' },
    newHelp: 'All fields but the type may stay empty. You can change everything later.',
    suggested: {
      name: 'Name',
      room: 'Room',
      topic_read: 'Topic of its values (topic_read)',
      topic_write: 'Topic for values to it (topic_write)',
      topic_response: 'Topic of its answers to commands (topic_response)',
      format: 'Format (format)',
      unit: 'Unit (unit)'
    },
    delete: { functions: 'Delete the function', devices: 'Delete the device' },
    deleteTitle: (name: string) => `Delete ${name}?`,
    deleteHelp: 'This cannot be undone. Values that are stored stay.',
    deleteUses: (n: number) =>
      n === 1 ? '1 function names this device. It stays.' : `${n} functions name it. They stay.`,
    deleteGo: 'Delete',
    keep: 'Keep it',
    unsaved: 'Leave without saving?',
    unsavedHelp: 'What you changed is not saved yet.',
    stay: 'Stay here',
    leave: 'Leave, and lose the changes'
  },
  installations: {
    title: 'Installations',
    count: (n: number) => (n === 1 ? '1 installation' : `${n} installations`),
    silent: (n: number) => `${n} with silent topics`,
    alarming: (n: number) => `${n} with alarms`,
    connected: (n: number) => (n === 1 ? '1 gateway connected' : `${n} gateways connected`),
    gone: (n: number) => (n === 1 ? '1 gateway gone' : `${n} gateways gone`),
    all: 'All',
    attention: 'Needs attention',
    assigned: 'Assigned to me',
    cards: 'Cards',
    table: 'Table',
    filter: 'Filter by name',
    view: 'View',
    perMinute: 'values a minute',
    allFresh: (topics: number) =>
      topics === 1 ? 'Its topic is fresh' : `All ${topics} topics fresh`,
    someSilent: (silent: number, topics: number) => `${silent} of ${topics} topics silent`,
    noValues: 'No value yet',
    last: (age: string) => `last value ${age}`,
    add: 'New installation',
    nameHelp: 'The house, the plant or the place whose devices belong together.',
    zone: 'Time zone',
    zoneHelp: 'Days begin and end there. An IANA name, such as Europe/Stockholm.',
    make: 'Make it',
    close: 'Close',
    makeHelp: 'Make the first one. Then connect a device to it.',
    empty: 'You see no installation yet.',
    emptyHelp: 'Somebody who manages installations can assign one to you.',
    noneMatch: 'No installation matches.',
    name: 'Name',
    topics: 'Topics',
    lastValue: 'Last value'
  },
  installation: {
    tabs: 'Views of the installation',
    board: 'Board',
    live: 'Live',
    plot: 'Plot',
    functions: 'Functions and devices',
    alarms: 'Alarms',
    rules: 'Rules',
    mappings: 'Mappings',
    connect: 'Connect a device',
    manage: 'Manage',
    refused: 'Refused messages',
    schedules: schedulesTexts.title,
    gateway: gatewayTexts.title,
    apps: appsTexts.title,
    notifications: notificationsTexts.title,
    files: filesTexts.title,
    values: valuesTexts.title,
    trace: traceTexts.title,
    site: siteTexts.title,
    functionsShort: 'Functions',
    more: 'More',
    others: 'All installations',
    clientId: (id: number) => `client id ${id}`,
    fresh: (fresh: number, topics: number) => `${fresh} of ${topics} topics fresh`,
    rate: (n: string) => `${n} values a minute`
  },
  gateway: {
    connected: 'Gateway connected',
    connectedFor: (age: string) => `Gateway connected for ${age}`,
    gone: 'Gateway not connected',
    goneNow: 'Gateway just disconnected',
    goneFor: (age: string) => `Gateway gone for ${age}`,
    since: (moment: string) => `since ${moment}`
  },
  board: {
    empty: 'Nothing is kept here yet.',
    emptyHelp:
      'Make a plot and keep it on the board: it is then the first page of this installation, for everybody.',
    emptyOther: 'Somebody who may change the installation can keep plots here.',
    toPlot: 'Make a plot',
    open: 'Open in Plot',
    openNamed: (title: string) => `Open in Plot: ${title}`,
    edit: 'Edit the board',
    editing: 'Editing the board',
    save: 'Save',
    cancel: 'Cancel',
    title: 'Title',
    titleOf: (title: string) => `Title of ${title}`,
    up: (title: string) => `Move ${title} up`,
    down: (title: string) => `Move ${title} down`,
    remove: (title: string) => `Remove ${title}`,
    removed: (title: string) => `${title} is removed when you save.`,
    undo: 'Undo',
    conflict:
      'Somebody else changed the board while you were editing it. Your changes are still here.',
    saveOver: 'Save mine instead',
    takeTheirs: 'Show theirs, drop mine',
    needsTitle: 'A plot needs a title.',
    more: (n: number) => `and ${n} more`,
    newest: 'Newest values'
  },
  live: {
    function: 'Function',
    day: 'Last 24 hours',
    value: 'Value',
    age: 'Age',
    all: 'All',
    silent: 'Silent',
    silentSince: 'silent',
    filter: 'Filter by name or topic',
    elsewhere: 'Without a room',
    copy: 'Copy the topic',
    copied: 'Copied',
    empty: 'No value has arrived yet.',
    emptyHelp: (topic: string) => `Values on topics such as ${topic} appear here as they arrive.`,
    connect: 'Connect a device',
    noValue: 'no value yet',
    noneMatch: 'No topic matches.'
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
    now: 'now',
    seconds: (n: number) => `${n} s`,
    minutes: (n: number) => `${n} min`,
    hours: (h: number, min: number) => (min > 0 ? `${h} h ${min} min` : `${h} h`),
    days: (d: number) => (d === 1 ? '1 day' : `${d} days`),
    future: 'in the future'
  }
}

export type Texts = typeof en
