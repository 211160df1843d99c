import { Button, Group, Stack, Text, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { installations, permissions, rights } from '../queries.ts'
import type { Owner } from './owner.ts'

/** Who has the objects, and what the caller may do with them. */
export type Place = {
  owner: Owner
  mayAdd: boolean
  mayUpdate: boolean
}

/**
 * Rules and mappings belong to an installation, or to its organization and then hold for all its
 * installations. Who may not list those of the organization sees none.
 */
export function usePlaces(id: number, resource: 'mapping' | 'rule') {
  const may = useQuery(rights(id)).data
  const anywhere = useQuery(permissions).data
  const organization = useQuery(installations).data?.find((one) => one.id === id)?.organization_id
  const own: Place = {
    owner: { kind: 'installation', id },
    mayAdd: may?.[`${resource}/create_delete`] === true,
    mayUpdate: may?.[`${resource}/update`] === true
  }
  const above: Place & { mayList: boolean } = {
    owner: { kind: 'organization', id: organization ?? 0 },
    mayList: organization !== undefined && anywhere?.[`${resource}/list/all`] === true,
    mayAdd: anywhere?.[`${resource}/create_delete/all`] === true,
    mayUpdate: anywhere?.[`${resource}/update/all`] === true
  }
  return { own, above }
}

type InheritedProps = {
  texts: { inherited: string; inheritedHelp: string; createAbove: string }
  isEmpty: boolean
  add: (() => void) | undefined
  children: ReactNode
}

/** What the organization has holds here too. */
export function Inherited({ texts: t, isEmpty, add, children }: InheritedProps) {
  if (isEmpty && !add) return null
  return (
    <Stack gap="xs" component="section" aria-label={t.inherited} mt="md">
      <Group justify="space-between" align="flex-start">
        <div>
          <Title order={2} size="h4">
            {t.inherited}
          </Title>
          <Text className="muted">{t.inheritedHelp}</Text>
        </div>
        {add && (
          <Button variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={add}>
            {t.createAbove}
          </Button>
        )}
      </Group>
      {!isEmpty && children}
    </Stack>
  )
}
