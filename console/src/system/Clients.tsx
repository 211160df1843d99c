import { Button, Skeleton, Stack, Table, Text, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { ageText, useNow } from '../clock.ts'
import { Problem } from '../frame/Problem.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Client, clients } from './api.ts'

type Props = { search: string; set: (search: string) => void }

/** Who is connected to the broker of this node. */
export function Clients({ search, set }: Props) {
  const { system: t } = useTexts()
  const asked = useDeferredValue(search)
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    { ...clients(asked), placeholderData: keepPreviousData }
  )
  const [first] = data?.pages ?? []
  if (error && !first) return <Problem error={error} again={() => void refetch()} />
  if (!data || !first) return <Skeleton h={160} radius={12} />
  if (first.broker === 'external') return <Text>{t.external}</Text>
  const all = data.pages.flatMap((page) => page.clients)
  return (
    <Stack gap="sm">
      {(first.total > 0 || search !== '') && (
        <TextInput
          type="search"
          aria-label={t.search}
          placeholder={t.search}
          maxLength={200}
          leftSection={<IconSearch size={16} aria-hidden />}
          value={search}
          onChange={({ currentTarget }) => set(currentTarget.value)}
          maw={440}
        />
      )}
      {first.total === 0 ? (
        <Nobody />
      ) : (
        <Text className="muted">{t.count(first.found, first.total)}</Text>
      )}
      {first.total > 0 && all.length === 0 && <Text>{t.nobody}</Text>}
      {all.length > 0 && <ClientTable clients={all} />}
      {hasNextPage && (
        <Button
          variant="default"
          loading={isFetchingNextPage}
          onClick={() => void fetchNextPage()}
          style={{ alignSelf: 'flex-start' }}
        >
          {t.showMore}
        </Button>
      )}
    </Stack>
  )
}

function Nobody() {
  const { system: t } = useTexts()
  return (
    <Stack gap="xs" align="flex-start">
      <Text fw={600}>{t.noClients}</Text>
      <Text className="muted">{t.noClientsHelp}</Text>
      <Button variant="default" component={Link} to="/installations">
        {t.toInstallations}
      </Button>
    </Stack>
  )
}

function ClientTable({ clients }: { clients: readonly Client[] }) {
  const texts = useTexts()
  const { system: t } = texts
  const now = useNow() / 1000
  const heads = [t.clientId, t.account, t.installation, t.protocol, t.address, t.since]
  return (
    <Table.ScrollContainer
      minWidth={760}
      scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'group', 'aria-label': t.clients } }}
    >
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            {heads.map((name) => (
              <Table.Th key={name}>{name}</Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {clients.map(({ id, client_id, account, installation, protocol, address, since }) => (
            <Table.Tr key={id} style={{ verticalAlign: 'top', overflowWrap: 'anywhere' }}>
              <Table.Td maw={240}>{client_id}</Table.Td>
              <Table.Td maw={240}>
                <Account account={account} />
              </Table.Td>
              <Table.Td maw={240}>
                {installation && (
                  <Link className="link" to="/installations/$id" params={{ id: installation.id }}>
                    {installation.name || t.nameless(installation.id)}
                  </Link>
                )}
              </Table.Td>
              <Table.Td>{protocol}</Table.Td>
              <Table.Td>{address}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{ageText(now - since, texts)}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  )
}

function Account({ account: { kind, id, name, key, certificate } }: Pick<Client, 'account'>) {
  const { system: t } = useTexts()
  const more = [
    t[kind],
    ...(key === undefined ? [] : [t.key(key)]),
    ...(certificate === undefined ? [] : [t.certificate(certificate)])
  ]
  return (
    <>
      {name || t.nameless(id)}
      <Text className="muted" size="sm">
        {more.join(', ')}
      </Text>
    </>
  )
}
