import type { Static } from 'typebox'
import type { ConnectedClient } from '../../bus/bus.ts'
import type { FigureHistory } from './recorder.ts'
import type { BackupState, SystemState } from './state-schema.ts'

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
  systemState: () => Promise<Static<typeof SystemState>>
  /** Undefined with an external broker, which alone knows. */
  connectedClients: () => ConnectedClient[] | undefined
  /** The last hours of this node. */
  figureHistory: (hours: number) => FigureHistory
  backupControl: {
    state(): Promise<Static<typeof BackupState>>
    make(): BackupBegun
    verify(): Promise<BackupBegun>
  }
}

/** `nothing`: there is no backup in the folder. */
export type BackupBegun = 'begun' | 'busy' | 'no folder' | 'nothing'
