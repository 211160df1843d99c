import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { eventually } from './eventually.ts'
import { freePort } from './port.ts'

export type Mosquitto = {
  port: number
  /** Starts it again with everything it kept. */
  start: () => Promise<void>
  stop: (signal: 'SIGTERM' | 'SIGKILL') => Promise<void>
}

export const hasMosquitto = spawnSync('mosquitto', ['-h']).error === undefined
/** For `skip` of a test. With CI=true nothing is skipped. */
export const withoutMosquitto =
  hasMosquitto || process.env['CI'] === 'true' ? false : 'mosquitto is not installed'

/** A broker with persistence in a new directory. It restarts on the same port. */
export async function startMosquitto(
  t: { after(close: () => unknown): void },
  settings: readonly string[] = ['allow_anonymous true'],
  /** Settings of its only listener. */
  listener: readonly string[] = []
): Promise<Mosquitto> {
  assert(hasMosquitto, 'mosquitto is not installed')
  const directory = mkdtempSync(join(tmpdir(), 'caracal-mosquitto-'))
  const port = await freePort()
  const file = join(directory, 'mosquitto.conf')
  const lines = [
    ...(process.getuid?.() === 0 ? ['user root'] : []),
    ...settings,
    `listener ${port} 127.0.0.1`,
    ...listener,
    'persistence true',
    `persistence_location ${directory}/`,
    'autosave_interval 1',
    'max_queued_messages 0',
    'max_inflight_messages 1000'
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  let child: ChildProcess | undefined
  const start = async () => {
    child = spawn('mosquitto', ['-c', file], { stdio: 'ignore' })
    await once(child, 'spawn')
    await eventually(async () => {
      const socket = connect(port, '127.0.0.1')
      try {
        await once(socket, 'connect')
      } finally {
        socket.destroy()
      }
    })
  }
  const stop = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  t.after(async () => {
    await stop('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  await start()
  return { port, start, stop }
}
