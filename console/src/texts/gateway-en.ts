export const gateway = {
  title: 'Gateway',
  help: 'A gateway sends the values of its devices to the platform, and gets their commands.',
  state: 'Connection',
  unknown: 'No gateway of this installation is known.',
  unknownHelp:
    'Make its credential below. When it connects, it is shown here. With an external broker the platform is not told who is connected.',
  never: 'It has not connected since the platform started.',
  since: (moment: string) => `since ${moment}`,
  mayNotSee: 'Whether it is connected is hidden from you.',
  mqttClientId: 'MQTT client id',
  userName: 'User name',
  capabilities: 'What it can do by itself',
  noCapability: 'It has reported nothing.',
  capability: {
    schedule: 'It runs its schedules itself.'
  },
  toSchedules: 'To the schedules',
  credential: 'Credential',
  credentialHelp:
    'A gateway has one credential: a user name and a password for MQTT and for the API. A new one ends the old one.',
  make: 'Make a credential',
  makeTitle: (name: string) => `Make a new credential for the gateway of “${name}”?`,
  makeEnds:
    'The credential that it has now ends at once, and the gateway is disconnected until it has the new one.',
  makeFirst: 'If the gateway has a credential already, that one ends at once.',
  makeGo: 'Make it',
  cancel: 'Cancel',
  reset: 'Reset the gateway',
  resetTitle: (name: string) => `Reset the gateway of “${name}”?`,
  resetGoes:
    'Its credential is deleted and its connections end. Until it has a new one, no values come from it and no commands reach it.',
  resetStays: 'Functions, devices, stored values, schedules and client certificates stay.',
  resetGo: 'Reset it',
  wasReset: 'The credential is deleted, and its connections have ended.',
  onceTitle: 'The password is shown now, and never again',
  once: 'Copy what the gateway needs before you close this. If it is lost, make a new credential.',
  made: 'The new credential of the gateway',
  close: 'I have it',
  ways: 'For which program',
  waysOf: { bridge: 'Bridge of Mosquitto', edge: 'Edge client', other: 'Anything else' },
  edgeHelp: 'The edge client reads this as its configuration file.',
  otherHelp: 'Any program that speaks MQTT 3.1.1 or 5.',
  broker: 'Broker',
  password: 'Password',
  api: 'Address of the API',
  zone: 'Time zone',
  download: 'Download',
  bridge: 'Bridge of Mosquitto',
  bridgeHelp:
    'A Mosquitto at the site passes the messages of its devices on, keeps them while the line is down, and brings commands back.',
  bridgePassword: (word: string) =>
    `Put the password of the credential where ${word} stands. A new credential is shown with the whole configuration.`,
  bridgeSteps: (file: string) =>
    `Save it as ${file}, then restart Mosquitto: systemctl restart mosquitto`,
  bridgeTopics: (topic: string) =>
    `Devices at the site use topics without the client id: obj/temperature there is ${topic} here.`,
  noBridge: 'A bridge needs an address with mqtt:// or mqtts://. Mosquitto bridges no WebSocket.',
  bridgeText: 'Configuration of the bridge',
  certificates: 'Certificates',
  certificatesHelp:
    'Over TLS the gateway can sign in with a client certificate instead of the password.',
  toCertificates: 'To the certificates'
}
