import type { X509Certificate } from 'node:crypto'
import type { Authority } from './authority.ts'
import type { CertificateThread } from './thread.ts'

export type CertificateDeps = {
  certificateAuthority: Authority
  certificateThread: CertificateThread
  /** The authorities of CARACAL_TLS_CLIENT_CA_PATH. */
  clientAuthorities: () => readonly X509Certificate[]
}
