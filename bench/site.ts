import { join } from 'node:path'
import { Caracal, type Installation } from './caracal.ts'
import { Child } from './child.ts'
import type { Load, LoadResult } from './children/mqtt-load.ts'
import type { Level } from './children/mqtt-packets.ts'
import type { Bench } from './line.ts'
import { clients, installations as installationCount, topicsPerClient } from './sizes.ts'

/** What receives the load: the real program or the floor. */
export type Broker = { port: number; pid: number; password: string }

export type Site = {
  caracal: Caracal
  installations: Installation[]
  /** The topics of each client; every topic has one sender. */
  topics: string[][]
  brokers: { subject: Broker; floor: Broker }
  close(): Promise<void>
}

/** Caracal on a new directory and bare Aedes, for alternating loads. */
export async function openSite(bench: Bench, name: string): Promise<Site> {
  const caracal = await Caracal.start(join(bench.workDir, name))
  const installations = await caracal.createInstallations(installationCount)
  const aedes = new Child<object, number>('bare-aedes')
  const port = await aedes.ask({})
  return {
    caracal,
    installations,
    topics: topicsOf(installations),
    brokers: {
      subject: await brokerOf(caracal),
      floor: { port, pid: aedes.pid, password: 'nobody asks' }
    },
    close: async () => {
      await aedes.stop()
      await caracal.stop()
    }
  }
}

export const brokerOf = async (caracal: Caracal): Promise<Broker> => ({
  port: caracal.mqttPort,
  pid: caracal.pid,
  password: await caracal.token()
})

export const topicsOf = (installations: readonly Installation[]): string[][] =>
  Array.from({ length: clients }, (_, client) => {
    const { client_id = 0 } = installations[client % installations.length] ?? {}
    return Array.from(
      { length: topicsPerClient },
      (_, topic) => `${client_id}/obj/room_${client}/temperature_${topic}`
    )
  })

/** Runs one load in a separate process. */
export async function applyLoad(
  { port, pid, password }: Broker,
  load: Pick<Load, 'topics' | 'warmMs' | 'measureMs' | 'pace'> & { level?: Level }
): Promise<LoadResult> {
  const generator = new Child<Load, LoadResult>('mqtt-load')
  try {
    return await generator.ask({ port, serverPid: pid, password, level: 4, ...load })
  } finally {
    await generator.stop()
  }
}
