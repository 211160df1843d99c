import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { type Config, ConfigError } from '../config.ts'
import { lockDataDir, noteMovedRegistry, refuseChdbHistory } from '../data-dir.ts'
import type { History } from '../history/history.ts'
import { openHistory } from '../history/open.ts'
import { Spool } from '../history/spool.ts'
import { Metrics } from '../metrics.ts'
import { type Output, showProgress } from '../progress.ts'
import { openRegistry, openUnhurried, sqliteFile } from '../registry/open.ts'
import { Mover } from '../workers/mover.ts'
import { type Checkpoint, readCheckpoint, writeCheckpoint } from './checkpoint.ts'
import { compareHistory } from './compare-history.ts'
import { copyHistory } from './history.ts'
import { moveRegistry, refuseStrangers } from './registry.ts'
import { nameOf, refuseWhatHasMoved, type Targets } from './targets.ts'

/**
 * Moves a stopped data directory to servers. History goes first: until the registry is there, which
 * appears at once and whole, nobody can take the servers for complete.
 */
export async function migrateTo(
  config: Config,
  targets: Targets,
  { log, out }: { log: Logger; out: Output }
): Promise<void> {
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
    if (targets.history) await openAndMoveHistory(config, targets, { log, out, closers })
    if (registries) {
      const show = (label: string) => showProgress(label, out)
      const { rows } = await moveRegistry({ ...registries, show })
      out.write(`  Registry: ${rows} rows, the same there\n`)
      noteMovedRegistry(dataDir, registries.name)
    }
    out.write(farewell(dataDir, targets))
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
): Promise<void> {
  if (!existsSync(join(dataDir, 'history'))) {
    throw new ConfigError(`CARACAL_DATA_DIR ${dataDir} holds no history`)
  }
  const { history: from } = await openHistory({ url: HISTORY_URL, dataDir })
  closers.push(() => from.close())
  // A server has no directory, and ours would be refused as history that was left behind.
  const { history: to } = await openHistory({ url, cluster, dataDir: join(dataDir, 'none') })
  closers.push(() => to.close())
  const spool = await Spool.open(dataDir)
  closers.push(() => spool.close())
  await moveHistory({ from, to, spool, dataDir, target: nameOf(url), log, out })
}

export type HistoryMove = {
  from: History
  to: History
  spool: Spool
  dataDir: string
  /** As `nameOf` says it. */
  target: string
  log: Logger
  out: Output
}

/** What was acknowledged and waits in the spool goes along. */
export async function moveHistory(move: HistoryMove): Promise<void> {
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
  out.write(`  History: ${compared.samples} samples, ${compared.topics} topics, the same there\n`)
}

/** Only what an earlier run began may be there; if samples came since, it goes through all again. */
async function beginOrGoOn(
  to: History,
  begin: Checkpoint,
  earlier: Checkpoint | undefined
): Promise<Checkpoint> {
  if (await isEmpty(to)) return begin
  if (earlier?.target === begin.target) return earlier.lastId === begin.lastId ? earlier : begin
  throw new Error(`${begin.target} holds samples already: give it an empty database`)
}

async function isEmpty(history: History): Promise<boolean> {
  if ((await history.oldest()) !== undefined) return false
  for await (const samples of history.latest()) if (samples.length > 0) return false
  return true
}

/** What is wrong with the server is told before hours of history. */
async function openRegistries({ DATA_DIR: dataDir }: Config, url: string, closers: Closers) {
  if (!existsSync(sqliteFile(dataDir))) {
    throw new ConfigError(`CARACAL_DATA_DIR ${dataDir} holds no registry`)
  }
  const from = await openRegistry({ url: '', dataDir })
  closers.push(() => from.destroy())
  const to = await openUnhurried({ url, dataDir }, '--registry')
  closers.push(() => to.destroy())
  const registries = { from, to, name: nameOf(url) }
  await refuseStrangers(registries)
  return registries
}

/** Which settings to write now, and what is left where it is. */
function farewell(dataDir: string, { registry, history, cluster }: Targets): string {
  const old = join(dataDir, 'history')
  const lines = [
    '',
    '  Moved and compared. From now on start with these settings, whole, as you gave them (users',
    '  and passwords are left out here):',
    '',
    `    CARACAL_DATA_DIR=${dataDir}`,
    ...(registry ? [`    CARACAL_REGISTRY_URL=${nameOf(registry)}`] : []),
    ...(history ? [`    CARACAL_HISTORY_URL=${nameOf(history)}`] : []),
    ...(cluster ? [`    CARACAL_HISTORY_CLUSTER=${cluster}`] : []),
    ...(history
      ? ['', '  and without the old history beside it:', '', `    mv ${old} ${old}.moved`]
      : []),
    '',
    `  Nothing was removed from ${dataDir}. Still in use there:${history ? '' : ' history/, all there is of it;'}`,
    '  spool.sqlite, outbox/, files, and mqtt.sqlite with the sessions, queued and retained messages',
    '  of the embedded broker, which cannot move to another broker. Several nodes share uploaded',
    '  files in CARACAL_FILES_DIR; before the first of them starts:',
    '',
    `    cp -a ${join(dataDir, 'files')}/. CARACAL_FILES_DIR/`,
    ''
  ]
  return `${lines.join('\n')}\n`
}
