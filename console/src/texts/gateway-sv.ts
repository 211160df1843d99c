import type { gateway as en } from './gateway-en.ts'

export const gateway: typeof en = {
  title: 'Gateway',
  help: 'En gateway skickar sina enheters värden till plattformen och får deras kommandon.',
  state: 'Anslutning',
  unknown: 'Ingen gateway i installationen är känd.',
  unknownHelp:
    'Skapa dess inloggning nedan. När den ansluter visas den här. Med en extern broker får plattformen inte veta vem som är ansluten.',
  never: 'Den har inte anslutit sedan plattformen startade.',
  since: (moment) => `sedan ${moment}`,
  mayNotSee: 'Om den är ansluten är dolt för dig.',
  mqttClientId: 'MQTT-klient-id',
  userName: 'Användarnamn',
  capabilities: 'Vad den klarar själv',
  noCapability: 'Den har inte rapporterat något.',
  capability: {
    schedule: 'Den kör sina scheman själv.'
  },
  toSchedules: 'Till schemana',
  credential: 'Inloggning',
  credentialHelp:
    'En gateway har en inloggning: ett användarnamn och ett lösenord för MQTT och för API:et. En ny avslutar den gamla.',
  make: 'Skapa en inloggning',
  makeTitle: (name) => `Skapa en ny inloggning för gatewayen i ”${name}”?`,
  makeEnds:
    'Inloggningen som den har nu upphör genast, och gatewayen är frånkopplad tills den har den nya.',
  makeFirst: 'Om gatewayen redan har en inloggning upphör den genast.',
  makeGo: 'Skapa den',
  cancel: 'Avbryt',
  reset: 'Återställ gatewayen',
  resetTitle: (name) => `Återställa gatewayen i ”${name}”?`,
  resetGoes:
    'Dess inloggning tas bort och dess anslutningar avslutas. Tills den har en ny kommer inga värden från den och inga kommandon når den.',
  resetStays: 'Funktioner, enheter, sparade värden, scheman och klientcertifikat är kvar.',
  resetGo: 'Återställ den',
  wasReset: 'Inloggningen är borttagen, och dess anslutningar är avslutade.',
  onceTitle: 'Lösenordet visas nu och aldrig igen',
  once: 'Kopiera det som gatewayen behöver innan du stänger. Går det förlorat skapar du en ny inloggning.',
  made: 'Gatewayens nya inloggning',
  close: 'Jag har den',
  ways: 'För vilket program',
  waysOf: { bridge: 'Mosquittos brygga', edge: 'Edge-klient', other: 'Något annat' },
  edgeHelp: 'Edge-klienten läser detta som sin konfigurationsfil.',
  otherHelp: 'Alla program som talar MQTT 3.1.1 eller 5.',
  broker: 'Broker',
  password: 'Lösenord',
  api: 'API:ets adress',
  zone: 'Tidszon',
  download: 'Ladda ned',
  bridge: 'Mosquittos brygga',
  bridgeHelp:
    'En Mosquitto på plats skickar vidare sina enheters meddelanden, behåller dem när linjen är nere och hämtar kommandon.',
  bridgePassword: (word) =>
    `Sätt inloggningens lösenord där ${word} står. En ny inloggning visas med hela konfigurationen.`,
  bridgeSteps: (file) =>
    `Spara den som ${file} och starta om Mosquitto: systemctl restart mosquitto`,
  bridgeTopics: (topic) =>
    `Enheter på plats använder ämnen utan klient-id: obj/temperature där är ${topic} här.`,
  noBridge:
    'En brygga behöver en adress med mqtt:// eller mqtts://. Mosquitto bryggar inte WebSocket.',
  bridgeText: 'Bryggans konfiguration',
  certificates: 'Certifikat',
  certificatesHelp:
    'Över TLS kan gatewayen logga in med ett klientcertifikat i stället för lösenordet.',
  toCertificates: 'Till certifikaten'
}
