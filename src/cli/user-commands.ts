import { InvalidArgumentError } from 'commander'
import { ask } from './ask.ts'
import { type Outcome, type Program, UsageError } from './frame.ts'
import { type PasswordOptions, readPassword } from './password.ts'
import { printable, table } from './printable.ts'

type Changed = { id: number; email: string; disabled: boolean }
type Listed = {
  total: number
  users: (Changed & {
    first_name: string
    last_name: string
    role: string
    organisations: number[]
    has_password: boolean
  })[]
}
type NewUser = PasswordOptions & {
  role: string
  organization?: number
  firstName: string
  lastName: string
}

const ACCOUNTS_PER_PAGE = 100
const MAX_ACCOUNTS = 1000

export function addUserCommands(program: Program): void {
  const user = program.addGroup('user', 'accounts of the platform')

  program
    .addCommand<[email: string, NewUser]>(
      user,
      { usage: 'add <email>', summary: 'make an account; asks for its password' },
      async (context, email, options) => {
        const { role, organization, firstName: first_name, lastName: last_name } = options
        const config = context.config()
        const { password, isGenerated } = await readPassword(context, options)
        const body = { email, role, organization, first_name, last_name, password }
        const made = await ask<Changed>(config, '/account/add', body)
        return withPassword(made, `made user ${made.id}, ${made.email}, with the role ${role}`, {
          ...{ password, isGenerated }
        })
      }
    )
    .requiredOption('--role <role>', 'name or id of the role, such as Administrator')
    .option(
      '--organization <id>',
      'organization of the user; without it the first one',
      wholeNumber
    )
    .option('--first-name <name>', 'first name', '')
    .option('--last-name <name>', 'last name', '')
    .option('--stdin', 'read the password from the first line of standard input')
    .option('--generate', 'make a random password and print it')

  program
    .addCommand<[{ search: string; after: number; limit: number }]>(
      user,
      { usage: 'list', summary: 'list the accounts, by id' },
      async (context, { search, after, limit }) => {
        if (limit < 1 || limit > MAX_ACCOUNTS) {
          throw new UsageError(`--limit must be from 1 to ${MAX_ACCOUNTS}`)
        }
        const body = { search, after, limit }
        return shownList(await ask<Listed>(context.config(), '/account/list', body))
      }
    )
    .option('--search <text>', 'only accounts with this text in the e-mail address or name', '')
    .option('--after <id>', 'only accounts with a greater id', wholeNumber, 0)
    .option(
      '--limit <count>',
      `at most so many accounts, up to ${MAX_ACCOUNTS}`,
      wholeNumber,
      ACCOUNTS_PER_PAGE
    )

  program
    .addCommand<[email: string, PasswordOptions]>(
      user,
      {
        usage: 'password <email>',
        summary: 'set the password of an account and end its sessions; API keys stay'
      },
      async (context, email, options) => {
        const config = context.config()
        const { password, isGenerated } = await readPassword(context, options)
        const changed = await ask<Changed>(config, '/account/password', { email, password })
        const text = `set the password of user ${changed.id}, ${changed.email}; the sessions of this user have ended`
        return withPassword(changed, text, { password, isGenerated })
      }
    )
    .option('--stdin', 'read the password from the first line of standard input')
    .option('--generate', 'make a random password and print it')

  for (const [name, summary, done] of [
    [
      'disable',
      'end an account: it cannot sign in, and its sessions and API keys stop working',
      'is disabled: no sign-in, no session and no API key of this user works'
    ],
    ['enable', 'let a disabled account sign in again', 'may sign in again, and API keys work again']
  ] as const) {
    program.addCommand<[email: string]>(
      user,
      { usage: `${name} <email>`, summary },
      async (context, email) => {
        const changed = await ask<Changed>(context.config(), `/account/${name}`, { email })
        return {
          result: changed,
          lines: [`user ${changed.id}, ${printable(changed.email)}, ${done}`]
        }
      }
    )
  }
}

function withPassword(
  changed: Changed,
  text: string,
  { password, isGenerated }: { password: string; isGenerated: boolean }
): Outcome {
  return {
    result: { ...changed, ...(isGenerated && { password }) },
    lines: [
      printable(text),
      ...(changed.disabled
        ? ['the account is disabled and cannot sign in: "user enable" changes that']
        : []),
      ...(isGenerated ? [`password  ${password}`] : [])
    ]
  }
}

function shownList({ total, users }: Listed): Outcome {
  const rows = users.map((user) => [
    String(user.id),
    user.email,
    `${user.first_name} ${user.last_name}`.trim(),
    user.role,
    user.organisations.join(','),
    user.disabled ? 'disabled' : user.has_password ? '' : 'no password'
  ])
  const last = users.at(-1)
  return {
    result: { total, users },
    lines: [
      ...table([['id', 'e-mail', 'name', 'role', 'organizations', 'state'], ...rows]),
      `${users.length} of ${total} users${last && users.length < total ? `; --after ${last.id} shows those that follow` : ''}`
    ]
  }
}

export function wholeNumber(text: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}
