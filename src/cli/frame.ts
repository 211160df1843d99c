import { Command, CommanderError } from 'commander'
import type { Logger } from 'pino'
import { type Config, readConfig } from '../config.ts'
import { printable, printableJson } from './printable.ts'
import type { Output } from './progress.ts'

/** Fine; something is wrong; the command was given wrongly. */
export const exitCodes = { fine: 0, wrong: 1, usage: 2 } as const

/** The help is a part of a page too, so it is as wide everywhere. */
const HELP_CHARACTERS = 100

/** What a command did. Without `--json` the lines are printed, with it the result. */
export type Outcome = { result: object; lines: readonly string[]; isFine?: boolean }

/** The command was given wrongly. */
export class UsageError extends Error {}

export type Terminal = {
  env: Readonly<Record<string, string | undefined>>
  stdin: NodeJS.ReadStream
  out: Output
  err: Output
  openLog: (config: Config) => Promise<Logger>
}

export type Context = Terminal & {
  /** Reads the settings; throws one line if one of them is wrong. */
  config: () => Config
  /** What was given after the name of the command, as it was given. */
  args: readonly string[]
  isJson: boolean
}

type Run<Given extends unknown[]> = (context: Context, ...given: Given) => Promise<Outcome>
type Reached = { exitCode: number }

/** The program without its commands. They are added with `addCommand`. */
export class Program {
  readonly root = new Command('caracal')
  readonly #terminal: Terminal
  readonly #reached: Reached = { exitCode: exitCodes.fine }
  #args: readonly string[] = []

  constructor(terminal: Terminal) {
    this.#terminal = terminal
    const { out, err } = terminal
    this.root
      .description('Commands for operators, on a running or a stopped platform.')
      .usage('<command>')
      .exitOverride()
      .configureOutput({
        writeOut: (text) => void out.write(text),
        getOutHelpWidth: () => HELP_CHARACTERS,
        writeErr: (text) => void err.write(text),
        outputError: (text, write) =>
          write(`caracal: ${oneLine(text)}; "npm run caracal -- help" and --help say more\n`)
      })
  }

  /** A word that several commands begin with. */
  addGroup(name: string, summary: string): Command {
    return this.root.command(name).description(summary)
  }

  /**
   * `usage` is the name with its arguments, such as `add <email>`. `run` gets the arguments and
   * the options.
   */
  addCommand<Given extends unknown[]>(
    parent: Command,
    { usage, summary }: { usage: string; summary: string },
    run: Run<Given>
  ): Command {
    const command = parent
      .command(usage)
      .description(summary)
      .option('--json', 'print the result as one JSON object')
    return command.action((...given) => {
      // Commander adds the command itself as the last argument.
      const mine = given.slice(0, -1) as Given
      return this.#run(command, (context) => run(context, ...mine))
    })
  }

  /** A line for each command: its name, its arguments and what it does. */
  summary(): string[] {
    const leaves = leavesOf(this.root)
    const names = leaves.map((command) => `${nameOf(command)} ${argumentsOf(command)}`.trim())
    const width = Math.max(...names.map((name) => name.length))
    return leaves.map(
      (command, i) => `  ${(names[i] ?? '').padEnd(width)}  ${command.description()}`
    )
  }

  /** Runs the command that the arguments name; answers the exit code. */
  async run(args: readonly string[]): Promise<number> {
    this.#args = args
    try {
      await this.root.parseAsync([...args], { from: 'user' })
    } catch (error) {
      if (!(error instanceof CommanderError)) throw error
      return error.exitCode === 0 ? exitCodes.fine : exitCodes.usage
    }
    return this.#reached.exitCode
  }

  async #run(command: Command, run: (context: Context) => Promise<Outcome>): Promise<void> {
    const { out, err, env } = this.#terminal
    const isJson = command.opts()['json'] === true
    const args = this.#args.slice(depthOf(command))
    try {
      const config = () => readConfig(env)
      const outcome = await run({ ...this.#terminal, config, args, isJson })
      for (const line of isJson ? [printableJson(outcome.result)] : outcome.lines) {
        out.write(`${line}\n`)
      }
      if (outcome.isFine === false) this.#reached.exitCode = exitCodes.wrong
    } catch (error) {
      const { message } = error as Error
      if (isJson) out.write(`${printableJson({ error: message })}\n`)
      else err.write(`caracal: ${printable(message)}\n`)
      this.#reached.exitCode = error instanceof UsageError ? exitCodes.usage : exitCodes.wrong
    }
  }
}

const oneLine = (text: string): string =>
  printable(
    text
      .replace(/^error: /, '')
      .trim()
      .replaceAll('\n', ' ')
      .replace(/\.$/, '')
  )

/** How many words name the command. */
const depthOf = (command: Command): number => (command.parent ? 1 + depthOf(command.parent) : 0)

/** Without the name of the program. */
export const nameOf = (command: Command): string =>
  command.parent ? `${nameOf(command.parent)} ${command.name()}`.trim() : ''

const argumentsOf = (command: Command): string =>
  command.registeredArguments.map((one) => `<${one.name()}>`).join(' ')

/** The commands that do something, in order. */
export const leavesOf = (command: Command): Command[] =>
  command.commands.flatMap((one) => (one.commands.length > 0 ? leavesOf(one) : [one]))
