/** The texts of client certificates. */
export const certificate = {
  title: 'Certificates',
  help: 'A gateway or a device signs in on MQTT over TLS with a certificate instead of a password. It is for this installation only.',
  noTls:
    'The broker does not offer TLS, so certificates cannot be used yet. An administrator sets CARACAL_TLS_CERT_PATH.',
  none: 'There are none.',
  issue: 'Issue a certificate',
  authority: 'Certificate of the authority',
  register: 'Register one of your own authority',
  name: 'Name',
  ends: 'Ends',
  states: {
    valid: 'valid',
    expiring: 'ends soon',
    expired: 'expired',
    revoked: 'revoked',
    pending: 'not valid yet'
  },
  warning: (expired: number, expiring: number) =>
    [
      ...(expired > 0 ? [expired === 1 ? '1 has expired' : `${expired} have expired`] : []),
      ...(expiring > 0
        ? [expiring === 1 ? '1 ends within 30 days' : `${expiring} end within 30 days`]
        : [])
    ].join(', '),
  left: (days: number) => (days === 1 ? '1 day left' : `${days} days left`),
  gateway: 'as the gateway',
  below: (prefix: string) => `its topics are below ${prefix}/`,
  own: 'of your own authority',
  days: 'Days until it ends',
  who: 'Who uses it',
  whoGateway: 'The gateway: all topics of the installation',
  whoDevice: 'A device with topics of its own, below a prefix',
  prefix: 'Prefix',
  key: 'Private key',
  keyHere: 'The platform makes it and shows it once',
  keyThere: 'The device has made it, and this is its request',
  csr: 'Certificate request (PEM)',
  pem: 'Certificate (PEM)',
  pemHelp:
    'That of the device first, then those between it and an authority of CARACAL_TLS_CLIENT_CA_PATH.',
  go: 'Issue it',
  goRegister: 'Register it',
  cancel: 'Cancel',
  issued: 'The certificate is issued',
  onceTitle: 'The private key is shown now, and never again',
  once: 'Copy or download it before you close this. If it is lost, revoke the certificate and issue another one.',
  certificate: 'Certificate',
  download: 'Download',
  close: 'I have the key',
  closePlain: 'Close',
  revoke: 'Revoke',
  revokeTitle: (name: string) => `Revoke ${name}?`,
  revokeHelp:
    'Its connections end at once, and it never signs in again. This cannot be taken back.',
  revokeGo: 'Revoke it',
  keep: 'Keep it'
}
