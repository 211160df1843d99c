import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Output, showProgress } from '../cli/progress.ts'
import { type Config, ConfigError } from '../config.ts'
import type { History } from '../history/history.ts'
import { openHistory } from '../history/open.ts'
import { Spool } from '../history/spool/spool.ts'
import { Metrics } from '../metrics.ts'
import { lockDataDir, noteMovedRegistry, refuseChdbHistory } from '../platform/data-dir.ts'
import { openRegistry, openUnhurried, sqliteFile } from '../registry/open.ts'
import { Mover } from '../samples/mover.ts'
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { compareHistory } from './compare-history.ts'
import { copyHistory } from './history.ts'
import { moveRegistry, refuseStrangers } from './registry.ts'
import { refuseWhatHasMoved, serverName, type Targets } from './targets.ts'

type MovedHistory = { samples: number; topics: number }
/** What was copied and compared; null: it was not asked for. */
export type Migrated = { history: MovedHistory | null; registry: { rows: number } | null }

/**
 * Moves a stopped data directory to servers. History goes first. The registry appears at the end,
 * in one step, so that nobody takes the servers for complete before.
 */
export async function migrateTo(
  config: Config,
  targets: Targets,
  { log, out }: { log: Logger; out: Output }
): Promise<Migrated> {
  refuseWhatHasMoved(config, targets)
  const { DATA_DIR: dataDir } = config
  if (!existsSync(sqliteFile(dataDir)) && !existsSync(join(dataDir, 'history'))) {
    throw new ConfigError(`CARACAL_DATA_DIR ${dataDir} holds nothing to move`)
  }
  const lock = lockDataDir(dataDir)
  const closers: Closers = [() => lock.release()]
  try {
    refuseChdbHistory(dataDir)
    const registries = targets.registry && (await openRegistries(config, targets.registry, closers))
    const history = targets.history
      ? await openAndMoveHistory(config, targets, { log, out, closers })
      : null
    let registry: Migrated['registry'] = null
    if (registries) {
      const show = (label: string) => showProgress(label, out)
      const { rows } = await moveRegistry({ ...registries, show })
      out.write(`  Registry: ${rows} rows, the same on both sides\n`)
      noteMovedRegistry(dataDir, registries.name)
      registry = { rows }
    }
    out.write(farewell(dataDir, targets))
    return { history, registry }
  } finally {
    for (const close of closers.reverse()) await close()
  }
}

type Closers = (() => unknown)[]
type Parts = { log: Logger; out: Output; closers: Closers }

async function openAndMoveHistory(
  { DATA_DIR: dataDir, HISTORY_URL }: Config,
  { history: url = '', cluster }: Targets,
  { log, out, closers }: Parts
): Promise<MovedHistory> {
  if (!existsSync(join(dataDir, 'history'))) {
    throw new ConfigError(`CARACAL_DATA_DIR ${dataDir} holds no history`)
  }
  const from = await openHistory({ url: HISTORY_URL, dataDir })
  closers.push(() => from.close())
  // The server does not use the directory. With our own directory, openHistory would refuse to
  // start.
  const to = await openHistory({ url, cluster, dataDir: join(dataDir, 'none') })
  closers.push(() => to.close())
  const spool = await Spool.open(dataDir)
  closers.push(() => spool.close())
  return moveHistory({ from, to, spool, dataDir, target: serverName(url), log, out })
}

export type HistoryMove = {
  from: History
  to: History
  spool: Spool
  dataDir: string
  /** The name from `serverName`. */
  target: string
  log: Logger
  out: Output
}

/** Also moves the acknowledged samples that wait in the spool. */
export async function moveHistory(move: HistoryMove): Promise<MovedHistory> {
  const { from, to, spool, dataDir, target, log, out } = move
  const hasRoom = () => true
  await new Mover({ spool, history: from, metrics: new Metrics(), hasRoom, log }).flush()
  const { lastId } = await spool.state()
  const checkpoint = await beginOrGoOn(to, { target, lastId, months: [] }, readCheckpoint(dataDir))
  const save = (reached: Checkpoint) => writeCheckpoint(dataDir, reached)
  save(checkpoint)
  const onProgress = showProgress('Copying history', out)
  await copyHistory({ from, to, checkpoint, save, onProgress })
  const compared = await compareHistory(from, to, showProgress('Comparing history', out))
  // Last: without the lineage no platform starts on the moved history.
  const { platform, reached, reserved } = await from.lineage()
  if (platform !== undefined) await to.keepLineage({ platform, reached, reserved })
  out.write(
    `  History: ${compared.samples} samples, ${compared.topics} topics, the same on both sides\n`
  )
  return { samples: compared.samples, topics: compared.topics }
}

/**
 * The target must be empty or hold an earlier run. If samples came since then, everything is copied
 * again.
 */
async function beginOrGoOn(
  to: History,
  begin: Checkpoint,
  earlier: Checkpoint | undefined
): Promise<Checkpoint> {
  if (await isEmpty(to)) return begin
  if (earlier?.target === begin.target) return earlier.lastId === begin.lastId ? earlier : begin
  throw new Error(`${begin.target} already holds samples: give it an empty database`)
}

async function isEmpty(history: History): Promise<boolean> {
  if ((await history.oldest()) !== undefined) return false
  for await (const samples of history.latest()) if (samples.length > 0) return false
  return true
}

/**
 * Opens the registries first, so that an error of the server shows before hours of copying history.
 */
async function openRegistries({ DATA_DIR: dataDir }: Config, url: string, closers: Closers) {
  if (!existsSync(sqliteFile(dataDir))) {
    throw new ConfigError(`CARACAL_DATA_DIR ${dataDir} holds no registry`)
  }
  const from = await openRegistry({ url: '', dataDir })
  closers.push(() => from.destroy())
  const to = await openUnhurried({ url, dataDir }, '--registry')
  closers.push(() => to.destroy())
  const registries = { from, to, name: serverName(url) }
  await refuseStrangers(registries)
  return registries
}

/** Tells which settings to use now, and which files stay. */
function farewell(dataDir: string, { registry, history, cluster }: Targets): string {
  const old = join(dataDir, 'history')
  const lines = [
    '',
    '  Moved and compared. From now on, start with these settings. Write the URLs as you gave them',
    '  (users and passwords are not shown here):',
    '',
    `    CARACAL_DATA_DIR=${dataDir}`,
    ...(registry ? [`    CARACAL_REGISTRY_URL=${serverName(registry)}`] : []),
    ...(history ? [`    CARACAL_HISTORY_URL=${serverName(history)}`] : []),
    ...(cluster ? [`    CARACAL_HISTORY_CLUSTER=${cluster}`] : []),
    ...(history ? ['', '  and move the old history away:', '', `    mv ${old} ${old}.moved`] : []),
    '',
    `  Nothing was removed from ${dataDir}. Still in use there:${history ? '' : ' history/;'}`,
    '  spool.sqlite, outbox/, files, and mqtt.sqlite with the sessions, queued and retained messages',
    '  of the embedded broker. These cannot move to another broker. Several nodes share uploaded',
    '  files in CARACAL_FILES_DIR. Before the first node starts, run:',
    '',
    `    cp -a ${join(dataDir, 'files')}/. CARACAL_FILES_DIR/`,
    ''
  ]
  return `${lines.join('\n')}\n`
}
