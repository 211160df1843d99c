import { Badge, Button, Group, Stack, TextInput, Title } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOrganizations } from '../platform/organizations.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import type { Role } from './api.ts'

const PER_PAGE = 100
/** So few are seen without a filter. */
const FEW = 10

type Props = { list: readonly Role[]; own: number | undefined }

/** Roles of the platform first, then those of organizations by name. */
export function RoleList({ list, own }: Props) {
  const { roles: t } = useTexts()
  const { nameOf } = useOrganizations()
  const [text, setText] = useState('')
  const [most, setMost] = useState(PER_PAGE)
  const wanted = text.trim().toLowerCase()
  const placeOf = ({ organization_id: id }: Role) => (id === 0 ? t.ofPlatform : t.of(nameOf(id)))
  const found = list
    .filter((role) => `${role.name} ${placeOf(role)}`.toLowerCase().includes(wanted))
    .sort((a, b) => b.priority - a.priority || a.name.localeCompare(b.name))
  const places = [...Map.groupBy(found, ({ organization_id }) => organization_id)].sort(
    ([a], [b]) => (a === 0 ? -1 : b === 0 ? 1 : nameOf(a).localeCompare(nameOf(b)))
  )
  let left = most
  return (
    <>
      {list.length > FEW && (
        <TextInput
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={text}
          maw={360}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {found.length === 0 && <p className="muted">{list.length === 0 ? t.empty : t.noneMatch}</p>}
      {places.map(([organization_id, all]) => {
        const shown = all.slice(0, Math.max(0, left))
        left -= shown.length
        const [first] = shown
        return (
          first && (
            <Stack key={organization_id} gap="xs" component="section" aria-label={placeOf(first)}>
              <Title order={2} size="h5" style={{ overflowWrap: 'anywhere' }}>
                {placeOf(first)}
              </Title>
              <ul className="entries">
                {shown.map((role) => (
                  <Line key={role.id} role={role} isOwn={role.id === own} />
                ))}
              </ul>
            </Stack>
          )
        )
      })}
      {found.length > most && (
        <Group>
          <Button variant="default" onClick={() => setMost(most + PER_PAGE)}>
            {t.more}
          </Button>
        </Group>
      )}
    </>
  )
}

function Line({ role, isOwn }: { role: Role; isOwn: boolean }) {
  const { roles: t } = useTexts()
  const number = new Intl.NumberFormat(useLocale())
  const granted = Object.keys(role.permissions).filter((one) => role.permissions[one])
  return (
    <li className="panel entry">
      <Link from="/roles" search={{ id: role.id }} className="open" preload={false}>
        {role.name}
      </Link>
      <Group gap="xs">
        {isOwn && (
          <Badge variant="light" color="gray">
            {t.own}
          </Badge>
        )}
        <span className="muted">{t.priorityOf(number.format(role.priority))}</span>
      </Group>
      <span className="muted">
        {granted.includes('#') ? t.everything : t.grants(granted.length)}
      </span>
    </li>
  )
}
