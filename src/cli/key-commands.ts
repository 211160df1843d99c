import { ask } from './ask.ts'
import type { Program } from './frame.ts'
import { printable } from './printable.ts'
import { wholeNumber } from './user-commands.ts'

type Made = {
  id: number
  user_id: number
  email: string
  name: string
  token: string
  expire: number
}

export function addKeyCommands(program: Program): void {
  const key = program.addGroup('key', 'API keys')

  program
    .addCommand<[email: string, { name: string; permission?: string[]; days: number }]>(
      key,
      { usage: 'add <email>', summary: 'make an API key of an account; it is shown only once' },
      async (context, email, { name, permission: permissions, days }) => {
        const body = { email, name, permissions, days }
        const made = await ask<Made>(context.config(), '/account/key', body)
        const until = made.expire === 0 ? 'without end' : `until ${dateTime(made.expire)}`
        return {
          result: made,
          lines: [
            printable(
              `made key ${made.id} "${made.name}" of user ${made.user_id}, ${made.email}, ${until}`
            ),
            permissions
              ? printable(`it may do only: ${permissions.join(', ')}`)
              : 'it may do all that the user may do',
            `key  ${made.token}`
          ]
        }
      }
    )
    .requiredOption('--name <name>', 'what the key is for')
    .option('--permission <names...>', 'limit the key to these permissions, such as metrics/read')
    .option('--days <days>', 'the key ends after so many days; 0: never', wholeNumber, 0)
}

const dateTime = (seconds: number): string =>
  `${new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ')} UTC`
