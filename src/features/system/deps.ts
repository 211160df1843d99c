export type EngineHealth = { ok: boolean; detail: string }
export type ReadHealth = () => Promise<Record<string, EngineHealth>>

/** `made`: when the last backup was made, in Unix seconds. */
export type BackupHealth = { ok: boolean; made: number | null; detail: string }

/** `next`: when the next certificate ends, in Unix seconds. */
export type CertificateHealth = {
  ok: boolean
  expiring: number
  expired: number
  next: number | null
  detail: string
}

export type SystemDeps = {
  /** The platform was told to stop and still answers. */
  isDraining: () => boolean
  health: ReadHealth
  /** Undefined: there is no backup, and none was asked for. */
  backupHealth: () => BackupHealth | undefined
  /** Undefined: there are no client certificates, or they could not be counted. */
  certificateHealth: () => Promise<CertificateHealth | undefined>
}
