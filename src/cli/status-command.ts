import { dateOf, megabytes, type Status } from '../platform/control/status.ts'
import { askOr } from './ask.ts'
import type { Outcome, Program } from './frame.ts'
import { printable } from './printable.ts'
import { stoppedStatus } from './stopped-status.ts'

export function addStatus(program: Program): void {
  program.addCommand(
    program.root,
    { usage: 'status', summary: 'show how the platform is; exit code 1 if something is wrong' },
    async (context) => {
      const config = context.config()
      const stopped = () => stoppedStatus(config)
      return shown(await askOr<Status>(config, { path: '/status', body: {}, stopped }))
    }
  )
}

function shown(status: Status): Outcome {
  const { problems, engines, spool, connections, disk, certificate_expires } = status
  const line = (name: string, text: string) => printable(`${name.padEnd(13)} ${text}`)
  return {
    result: status,
    isFine: problems.length === 0,
    lines: [
      line('Caracal', `${status.version}, ${status.running ? runningText(status) : 'not running'}`),
      ...status.addresses.map((address, i) => line(i === 0 ? 'Addresses' : '', address)),
      ...Object.entries(engines).map(([name, { ok, detail }]) =>
        line(titleOf(name), ok ? detail : `does not work: ${detail}`)
      ),
      line('Data', status.data_dir),
      line('Disk', `${megabytes(disk.free)} free, reserve ${megabytes(disk.reserve)}`),
      ...(spool ? [line('Spool', spoolText(spool))] : []),
      ...(connections
        ? [line('Connections', `${connections.mqtt} MQTT, ${connections.http} HTTP`)]
        : []),
      ...(certificate_expires === null
        ? []
        : [line('Certificate', `until ${dateOf(certificate_expires)}`)]),
      ...backupLines(status).map((text, i) => line(i === 0 ? 'Backup' : '', text)),
      '',
      ...(problems.length === 0 ? ['Everything works.'] : problems.map((one) => line('WRONG', one)))
    ]
  }
}

const titleOf = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1)

const runningText = ({ pid, started }: Status): string =>
  `runs since ${new Date((started ?? 0) * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC, process ${pid}`

const spoolText = ({ samples, oldest_seconds }: NonNullable<Status['spool']>): string =>
  samples === 0
    ? 'empty'
    : `${samples} values on their way to history, the oldest for ${oldest_seconds} s`

function backupLines({ backup: { made, failed } }: Status): string[] {
  const at = (seconds: number) =>
    `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return [
    made ? `${at(made.ended)}, ${megabytes(made.bytes)}, ${made.place}` : 'none was made yet',
    ...(failed && failed.at >= (made?.ended ?? 0) ? [`failed at ${at(failed.at)}`] : [])
  ]
}
