import type { Program } from './frame.ts'

export function addAdopt(program: Program): void {
  program
    .addCommand(
      program.root,
      {
        usage: 'adopt',
        summary: 'make one platform of the parts of a stopped platform that do not belong together'
      },
      async ({ config: read, openLog, args, isJson, out, err }) => {
        const unknown = args.find((arg) => arg !== '--json')
        if (unknown) throw new Error(`adopt takes no options, but was given ${unknown}`)
        const config = read()
        const { adopt } = await import('./adopt.ts')
        const log = await openLog(config)
        return { result: await adopt(config, { log, out: isJson ? err : out }), lines: [] }
      }
    )
    .allowUnknownOption()
    .allowExcessArguments()
}
