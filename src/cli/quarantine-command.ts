import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { openHistory } from '../history/open.ts'
import { countText } from '../lib/count-text.ts'
import { QuarantineWork, type Report, type Wanted } from '../platform/control/quarantine.ts'
import { follow, runningOr } from './ask.ts'
import { type Context, type Outcome, type Program, UsageError } from './frame.ts'
import { printable } from './printable.ts'
import { showProgress } from './progress.ts'
import { lockStopped } from './stopped.ts'

const LOOK_EVERY_MS = 300
const MAX_SHOWN_TOPICS = 20

export function addQuarantine(program: Program): void {
  program
    .addCommand(
      program.root,
      {
        usage: 'quarantine [files...]',
        summary: 'find broken files of history, or set them aside so that answers go on'
      },
      async (context, files: string[], { all = false }: { all?: boolean }) => {
        if (all && files.length > 0) throw new UsageError('give files or --all, not both')
        return shown(await reportOf(context, { files, all }), { files, all })
      }
    )
    .option('--all', 'set every broken file aside')
    .addHelpText(
      'after',
      `
Without files and --all it reads every packed file of history as a whole, says what is broken
and what is lost with it, and changes nothing. The exit code is 1 if something is broken.

With the names of files, or --all, a broken file is moved to CARACAL_DATA_DIR/quarantine. What is whole
in it stays in history. What is lost is said here, in the log, in health and in status.`
    )
}

async function reportOf(context: Context, wanted: Wanted): Promise<Report> {
  const config = context.config()
  if (config.HISTORY_URL !== '') {
    throw new Error('history is on a ClickHouse server, which looks after its files itself')
  }
  const progress = showProgress('reading', context.err)
  const report = await runningOr<Report>(
    config.DATA_DIR,
    (socketPath) => follow(socketPath, { path: '/quarantine', body: wanted, onProgress: progress }),
    () => doStopped(config, wanted, progress, context)
  )
  progress(1)
  if (report.error !== null && report.set_aside.length === 0) throw new Error(report.error)
  return report
}

async function doStopped(
  config: Config,
  wanted: Wanted,
  progress: (done: number) => void,
  { openLog }: Context
): Promise<Report> {
  const { DATA_DIR: dataDir } = config
  if (!existsSync(join(dataDir, 'history/sqlite'))) {
    throw new Error(`CARACAL_DATA_DIR ${dataDir} holds no history: set the directory`)
  }
  const lock = lockStopped(dataDir)
  try {
    const history = await openHistory({ url: '', dataDir })
    const { files } = history
    if (!files) throw new Error('history has no files here')
    const work = new QuarantineWork(files, await openLog(config))
    const timer = setInterval(() => progress(work.report.done), LOOK_EVERY_MS)
    await work.run(wanted).finally(() => clearInterval(timer))
    const { report } = work
    await history.close()
    return report
  } finally {
    lock.release()
  }
}

function shown(report: Report, { files, all }: Wanted): Outcome {
  const { broken, set_aside, before, checked, error } = report
  const lines = [...broken, ...set_aside].flatMap(linesOf)
  const isLooking = files.length === 0 && !all
  const earlier = before.filter(({ file }) => set_aside.every((one) => one.file !== file))
  return {
    result: report,
    isFine: broken.length === 0 && error === null,
    lines: [
      ...lines,
      ...earlier.map((one) =>
        printable(
          `${one.file}: in quarantine since ${dateText(one.at)}, ${countText(one.lost)} values of ${one.month} are lost`
        )
      ),
      ...(error === null ? [] : [printable(`It ended early: ${error}`)]),
      conclusion(report, isLooking, checked)
    ]
  }
}

function conclusion({ broken, set_aside }: Report, isLooking: boolean, checked: number): string {
  if (isLooking && broken.length > 0) {
    return 'Restore these files from a backup, or set them aside: npm run caracal -- quarantine --all'
  }
  if (set_aside.length > 0) {
    const lost = set_aside.reduce((sum, one) => sum + one.lost, 0)
    return `Set aside: ${filesText(set_aside.length)}, ${countText(lost)} values are lost. The files are in CARACAL_DATA_DIR/quarantine.`
  }
  return `${filesText(checked)} read, nothing is broken.`
}

const filesText = (count: number): string => `${countText(count)} ${count === 1 ? 'file' : 'files'}`

function linesOf(one: Report['broken'][number]): string[] {
  const { file, month, samples, first, last, reason, lost, topics, topic_count } = one
  const named = topics.reduce((sum, topic) => sum + topic.samples, 0)
  const isNamed = topic_count <= topics.length
  return [
    printable(`${file}: ${reason}`),
    `  month ${month}, ${timeText(first)} to ${timeText(last)}: ${countText(lost)} of ${countText(samples)} values are lost`,
    ...topics
      .slice(0, MAX_SHOWN_TOPICS)
      .map((topic) =>
        printable(
          `  ${topic.topic ?? 'a deleted topic'} of installation ${topic.installation_id ?? '-'}: ${countText(topic.samples)} values, ${timeText(topic.first)} to ${timeText(topic.last)}`
        )
      ),
    ...(topic_count > MAX_SHOWN_TOPICS
      ? [`  and ${countText(topic_count - MAX_SHOWN_TOPICS)} more topics`]
      : []),
    ...(isNamed && lost > named
      ? [`  ${countText(lost - named)} values of topics that can no longer be named`]
      : [])
  ]
}

const timeText = (seconds: number): string =>
  Number.isFinite(new Date(seconds * 1000).getTime())
    ? new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')
    : 'an unknown time'

const dateText = (seconds: number): string => timeText(seconds).slice(0, 10)
