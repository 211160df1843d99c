import type { certificate as en } from './certificate-en.ts'

export const certificate: typeof en = {
  title: 'Certifikat',
  help: 'En gateway eller en enhet loggar in på MQTT över TLS med ett certifikat i stället för ett lösenord. Det gäller bara den här installationen.',
  noTls:
    'Brokern erbjuder inte TLS, så certifikat kan inte användas än. En administratör ställer in CARACAL_TLS_CERT_PATH.',
  none: 'Det finns inga.',
  issue: 'Utfärda ett certifikat',
  authority: 'Utfärdarens certifikat',
  register: 'Registrera ett från en egen utfärdare',
  name: 'Namn',
  ends: 'Slutar',
  states: {
    valid: 'giltigt',
    expiring: 'slutar snart',
    expired: 'har gått ut',
    revoked: 'återkallat',
    pending: 'inte giltigt än'
  },
  warning: (expired, expiring) =>
    [
      ...(expired > 0 ? [`${expired} har gått ut`] : []),
      ...(expiring > 0 ? [`${expiring} slutar inom 30 dagar`] : [])
    ].join(', '),
  left: (days) => (days === 1 ? '1 dag kvar' : `${days} dagar kvar`),
  gateway: 'som gatewayen',
  below: (prefix) => `dess ämnen ligger under ${prefix}/`,
  own: 'från en egen utfärdare',
  days: 'Dagar tills det slutar',
  who: 'Vem som använder det',
  whoGateway: 'Gatewayen: alla ämnen i installationen',
  whoDevice: 'En enhet med egna ämnen, under ett prefix',
  prefix: 'Prefix',
  key: 'Privat nyckel',
  keyHere: 'Plattformen gör den och visar den en gång',
  keyThere: 'Enheten har gjort den, och detta är dess begäran',
  csr: 'Certifikatbegäran (PEM)',
  pem: 'Certifikat (PEM)',
  pemHelp:
    'Enhetens först, sedan de som ligger mellan det och en utfärdare i CARACAL_TLS_CLIENT_CA_PATH.',
  go: 'Utfärda det',
  goRegister: 'Registrera det',
  cancel: 'Avbryt',
  issued: 'Certifikatet är utfärdat',
  onceTitle: 'Den privata nyckeln visas nu, och aldrig mer',
  once: 'Kopiera eller ladda ner den innan du stänger. Om den går förlorad återkallar du certifikatet och utfärdar ett nytt.',
  certificate: 'Certifikat',
  download: 'Ladda ner',
  close: 'Jag har nyckeln',
  closePlain: 'Stäng',
  revoke: 'Återkalla',
  revokeTitle: (name) => `Återkalla ${name}?`,
  revokeHelp:
    'Dess anslutningar bryts genast, och det loggar aldrig in igen. Det går inte att ångra.',
  revokeGo: 'Återkalla det',
  keep: 'Behåll det'
}
