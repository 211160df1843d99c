type TlsSettings = Readonly<
  Record<'TLS_CERT_PATH' | 'TLS_KEY_PATH' | 'TLS_CLIENT_CA_PATH' | 'BUS_URL', string>
>

/** What is wrong with the settings of TLS: the setting and why; undefined if nothing is. */
export function tlsFault(
  settings: TlsSettings
): readonly [setting: keyof TlsSettings, why: string] | undefined {
  const { TLS_CERT_PATH: cert, TLS_KEY_PATH: key, TLS_CLIENT_CA_PATH: authorities } = settings
  if ((cert === '') !== (key === '')) {
    return ['TLS_CERT_PATH', 'must be set together with CARACAL_TLS_KEY_PATH']
  }
  if (authorities === '') return undefined
  if (cert === '') return ['TLS_CLIENT_CA_PATH', 'needs CARACAL_TLS_CERT_PATH']
  return settings.BUS_URL === ''
    ? undefined
    : ['TLS_CLIENT_CA_PATH', 'cannot be set with CARACAL_BUS_URL: devices do not connect here']
}
