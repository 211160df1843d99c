import type { Static } from 'typebox'
import type { ConnectedClient } from '../../bus/bus.ts'
import { installationOfGateway } from '../../identity/gateway.ts'
import { readOwner } from '../../identity/owners.ts'
import { toWholeSeconds } from '../../lib/unix-time.ts'
import type { Directory } from '../../permission/directory.ts'
import { namesOfInstallations } from '../../registry/installations.ts'
import type { Registry } from '../../registry/tables.ts'
import { namesOfUsers } from '../../registry/users.ts'
import type { ConnectedClients } from './state-schema.ts'

type Shown = Static<typeof ConnectedClients>['clients'][number]
type Account = NonNullable<ReturnType<typeof readOwner>>
type Known = ConnectedClient & { account: Account; installation: number | undefined }
type Names = { user: Map<number, string>; installation: Map<number, string> }

const protocols = { 3: '3.1', 4: '3.1.1', 5: '5' } as const

type Page = { search: string; after: number; limit: number }

/** A page of the clients, by id, and how many fit the search on all pages. */
export async function pageOfClients(
  { registry, directory }: { registry: Registry; directory: Directory },
  connected: readonly ConnectedClient[],
  { search, after, limit }: Page
): Promise<{ found: number; clients: Shown[] }> {
  const known = connected.flatMap((client) => knownBy(directory, client))
  const behind = (clients: readonly Known[]) =>
    clients.filter(({ id }) => id > after).slice(0, limit)
  if (search === '') {
    const page = behind(known)
    return { found: known.length, clients: shownWith(await namesOf(registry, page), page) }
  }
  const names = await namesOf(registry, known)
  const wanted = search.toLowerCase()
  const found = known.filter((client) => fits(shown(client, names), wanted))
  return { found: found.length, clients: shownWith(names, behind(found)) }
}

function knownBy(directory: Directory, client: ConnectedClient): Known[] {
  const account = readOwner(client.owner)
  if (!account) return []
  const installation =
    client.mountedAt === undefined
      ? installationOfGateway(directory, client)
      : directory.installationByClientId(client.mountedAt)?.id
  return [{ ...client, account, installation }]
}

async function namesOf(registry: Registry, clients: readonly Known[]): Promise<Names> {
  const users = new Set<number>()
  const installations = new Set<number>()
  for (const { account, installation } of clients) {
    if (account.kind === 'user') users.add(account.id)
    else installations.add(account.id)
    if (installation !== undefined) installations.add(installation)
  }
  return {
    user: await namesOfUsers(registry, [...users]),
    installation: await namesOfInstallations(registry, [...installations])
  }
}

const shownWith = (names: Names, clients: readonly Known[]): Shown[] =>
  clients.map((client) => shown(client, names))

function shown({ account, installation, ...client }: Known, names: Names): Shown {
  const ofAccount = account.kind === 'user' ? names.user : names.installation
  return {
    id: client.id,
    client_id: client.clientId,
    account: { ...account, name: ofAccount.get(account.id) ?? '' },
    installation:
      installation === undefined
        ? null
        : { id: installation, name: names.installation.get(installation) ?? '' },
    protocol: protocols[client.level],
    address: client.address,
    since: toWholeSeconds(client.since)
  }
}

const fits = ({ client_id, address, account, installation }: Shown, wanted: string): boolean =>
  [client_id, address, account.name, installation?.name ?? ''].some((text) =>
    text.toLowerCase().includes(wanted)
  )
