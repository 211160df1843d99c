export type EngineHealth = { ok: boolean; detail: string }
export type ReadHealth = () => Promise<Record<string, EngineHealth>>

/** `made`: when the last backup was made, in Unix seconds. */
export type BackupHealth = { ok: boolean; made: number | null; detail: string }

export type SystemDeps = {
  /** The platform was told to stop and still answers. */
  isDraining: () => boolean
  health: ReadHealth
  /** Undefined: there is no backup, and none was asked for. */
  backupHealth: () => BackupHealth | undefined
}
