import { ActionIcon, Button, Group, Select, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Problem } from '../frame/Problem.tsx'
import { Fault } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { assign, installationRecords } from './api.ts'
import { type People, told } from './people.ts'
import type { User } from './types.ts'

const MAX_CHOICES = 100
const MAX_SHOWN = 50

/** The installations that are assigned to the user, as far as the caller sees them. */
export function Assigned({ user, people: { may } }: { user: User; people: People }) {
  const texts = useTexts()
  const { users: t } = texts
  const { data, error, refetch } = useQuery(installationRecords)
  const [chosen, setChosen] = useState<string | null>(null)
  const [isAll, setAll] = useState(false)
  const change = useMutation({
    mutationFn: ({ id, isAssigned }: { id: number; isAssigned: boolean }) =>
      assign(id, user.id, isAssigned),
    onSuccess: () => setChosen(null)
  })
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={60} />
  const order = data.toSorted((a, b) => a.name.localeCompare(b.name))
  const own = order.filter(({ users }) => users.includes(user.id))
  const others = order.filter(({ users }) => !users.includes(user.id))
  const mayChange =
    may['installation/update/all'] === true || may['installation/update/assigned'] === true
  return (
    <Stack gap="xs">
      {own.length === 0 && <Text className="muted">{t.noneAssigned}</Text>}
      <ul className="assigned">
        {own.slice(0, isAll ? undefined : MAX_SHOWN).map(({ id, name }) => (
          <li key={id}>
            <Link className="link" to="/installations/$id" params={{ id }} preload={false}>
              {name}
            </Link>
            {mayChange && (
              <ActionIcon
                variant="subtle"
                color="gray"
                aria-label={t.unassign(name)}
                disabled={change.isPending}
                onClick={() => change.mutate({ id, isAssigned: false })}
              >
                <IconX size={16} />
              </ActionIcon>
            )}
          </li>
        ))}
      </ul>
      {own.length > MAX_SHOWN && !isAll && (
        <Group>
          <Button variant="default" size="xs" onClick={() => setAll(true)}>
            {t.showAll(own.length)}
          </Button>
        </Group>
      )}
      {change.error && <Fault text={told(change.error, 'installation/update', may, texts)} />}
      {mayChange ? (
        <Group gap="xs" align="flex-end">
          <Select
            className="grows"
            label={t.assignLabel}
            placeholder={t.assignPlaceholder}
            data={others.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={chosen}
            searchable
            clearable
            limit={MAX_CHOICES}
            onChange={setChosen}
          />
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            disabled={chosen === null}
            loading={change.isPending}
            onClick={() => change.mutate({ id: Number(chosen), isAssigned: true })}
          >
            {t.assign}
          </Button>
        </Group>
      ) : (
        <Text className="muted">{t.mayNotEdit('installation/update')}</Text>
      )}
    </Stack>
  )
}
