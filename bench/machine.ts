import { execFileSync } from 'node:child_process'
import { closeSync, fdatasyncSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { arch, cpus, loadavg, platform, release, totalmem } from 'node:os'
import { join } from 'node:path'
import { median } from './figures.ts'

const TICKS_PER_SECOND = 100

export const machineFacts = (directory: string) => ({
  cpu: cpuModel(),
  cores: cpus().length,
  memory_gib: Math.round(totalmem() / 2 ** 30),
  system: `${platform()} ${release()} ${arch()}`,
  node: process.version,
  sqlite: process.versions['sqlite'],
  fsync_ms: fsyncMs(directory)
})

/** Load averages of one, five and fifteen minutes. */
export const load = (): number[] => loadavg().map((value) => Number(value.toFixed(2)))

/** The time of one durable 4 KiB write: the floor of every acknowledgement. */
function fsyncMs(directory: string): number {
  const file = openSync(join(directory, 'fsync'), 'w')
  const block = Buffer.alloc(4096)
  const times = Array.from({ length: 200 }, () => {
    const start = performance.now()
    writeSync(file, block)
    fdatasyncSync(file)
    return performance.now() - start
  })
  closeSync(file)
  return Number(median(times).toFixed(3))
}

/** On ARM Node does not know the model of the processor, but lscpu does. */
function cpuModel(): string {
  const model = cpus()[0]?.model ?? ''
  if (model !== '' && model !== 'unknown') return model
  try {
    const text = execFileSync('lscpu', { encoding: 'utf8' })
    return /^Model name:\s*(.+)$/m.exec(text)?.[1] ?? 'unknown'
  } catch {
    return 'unknown'
  }
}

/**
 * The CPU seconds of every process so far, with its ended children; empty without /proc. The sum in
 * /proc/stat would be cheaper, but it is counted by ticks and misses what runs between them.
 */
export function cpuSecondsByPid(): Map<number, number> {
  const pids = readDirectory('/proc').filter((name) => /^\d+$/.test(name))
  return new Map(pids.map((pid) => [Number(pid), cpuSecondsOf(pid)]))
}

function cpuSecondsOf(pid: string): number {
  const stat = readProc(`/proc/${pid}/stat`) ?? ''
  // The name in brackets may contain any character.
  const fields = stat.slice(stat.lastIndexOf(') ') + 2).split(' ')
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
  return ticks / TICKS_PER_SECOND
}

/** Busy cores between two readings: of the named processes, and of all others together. */
export function coresBetween(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  seconds: number,
  pids: readonly number[] = []
): { named: number[]; others: number } {
  const used = (pid: number) => ((after.get(pid) ?? 0) - (before.get(pid) ?? 0)) / seconds
  const all = [...after.keys()].reduce((sum, pid) => sum + used(pid), 0)
  const named = pids.map(used)
  return { named, others: named.reduce((rest, cores) => rest - cores, all) }
}

/** In bytes. */
export type Resident = {
  now: number
  /** The most it ever was, if the system tells it. */
  peak: number | undefined
  /** Without mapped files, whose pages the system takes back when it needs them. */
  own: number | undefined
}

export function residentMemory(pid: number): Resident {
  const status = readProc(`/proc/${pid}/status`)
  const kib = (field: string) => Number(new RegExp(`${field}:\\s+(\\d+)`).exec(status ?? '')?.[1])
  if (status) {
    const own = kib('RssAnon') * 1024
    return { now: kib('VmRSS') * 1024, peak: kib('VmHWM') * 1024, own }
  }
  const rss = execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })
  return { now: Number(rss) * 1024, peak: undefined, own: undefined }
}

function readDirectory(path: string): string[] {
  try {
    return readdirSync(path)
  } catch {
    return []
  }
}

function readProc(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}
