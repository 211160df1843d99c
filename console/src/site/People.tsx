import { Button, Group, Select, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { changePeople, type Installation, users } from './api.ts'
import { labelOf, nameOf } from './names.ts'

type Props = { installation: Installation; mayEdit: boolean }

const MAX_SHOWN = 50

/** Who the installation is assigned to. */
export function People({ installation, mayEdit }: Props) {
  const texts = useTexts()
  const { site: t } = texts
  const { id } = installation
  const all = useQuery(users).data
  const [asked, setAsked] = useState<number>()
  const remove = useMutation({
    mutationFn: (user: number) =>
      changePeople(id, (before) => before.filter((one) => one !== user)),
    onSettled: () => setAsked(undefined)
  })
  const known = new Map((all ?? []).map((one) => [one.id, one]))
  const people = installation.users
    .map((user) => ({ id: user, account: known.get(user) }))
    .sort((a, b) => nameOf(a.account).localeCompare(nameOf(b.account)))
  return (
    <Stack gap="sm">
      {people.length === 0 ? (
        <Text className="muted">{t.nobody}</Text>
      ) : (
        <ul className="people">
          {people.map(({ id: user, account }) => {
            const name = account ? nameOf(account) : t.unknownUser(user)
            return (
              <li key={user}>
                <div>
                  <Text fw={600}>{name}</Text>
                  <Text className="muted" size="sm">
                    {account ? account.email !== name && account.email : all && t.unknownHelp}
                  </Text>
                </div>
                {mayEdit && account && asked !== user && (
                  <Button
                    size="compact-sm"
                    variant="subtle"
                    aria-label={t.removeNamed(name)}
                    onClick={() => setAsked(user)}
                  >
                    {t.remove}
                  </Button>
                )}
                {asked === user && (
                  <Group gap="xs" role="alertdialog" aria-label={t.removeNamed(name)}>
                    <Text size="sm">{t.removeQuestion(name)}</Text>
                    <Button size="compact-sm" variant="default" onClick={() => setAsked(undefined)}>
                      {t.keep}
                    </Button>
                    <Button
                      size="compact-sm"
                      color="red"
                      loading={remove.isPending}
                      onClick={() => remove.mutate(user)}
                    >
                      {t.removeGo}
                    </Button>
                  </Group>
                )}
              </li>
            )
          })}
        </ul>
      )}
      {remove.error && <Fault text={refusal(remove.error, 'installation/update', texts)} />}
      {mayEdit && <Add installation={installation} />}
    </Stack>
  )
}

function Add({ installation }: Pick<Props, 'installation'>) {
  const texts = useTexts()
  const { site: t } = texts
  const { data = [] } = useQuery(users)
  const [chosen, choose] = useState<string | null>(null)
  const add = useMutation({
    mutationFn: (user: number) =>
      changePeople(installation.id, (before) => [...new Set([...before, user])]),
    onSuccess: () => choose(null)
  })
  const others = data.filter((one) => !installation.users.includes(one.id))
  const isRefused = add.error instanceof CaracalError && add.error.status === 403
  return (
    <>
      <Group align="flex-end" gap="xs">
        <Select
          className="site-grow"
          label={t.add}
          placeholder={t.addPlaceholder}
          nothingFoundMessage={t.noneFound}
          searchable
          clearable
          limit={MAX_SHOWN}
          data={others.map((one) => ({ value: String(one.id), label: labelOf(one) }))}
          value={chosen}
          onChange={choose}
        />
        <Button
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          disabled={chosen === null}
          loading={add.isPending}
          onClick={() => chosen !== null && add.mutate(Number(chosen))}
        >
          {t.addGo}
        </Button>
      </Group>
      {add.error && (
        <Fault
          text={isRefused ? t.mayNotAssign : refusal(add.error, 'installation/update', texts)}
        />
      )}
    </>
  )
}
