import { Button, Group, Skeleton, Stack, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Part } from '../frame/Part.tsx'
import { Problem } from '../frame/Problem.tsx'
import { OTHERS_MS } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { organization } from './api.ts'
import { Delete } from './Delete.tsx'
import { Edit } from './Edit.tsx'
import { Passwords } from './Passwords.tsx'
import { Quotas } from './Quotas.tsx'
import type { TreeOf } from './useTree.ts'

type Props = { id: number; tree: TreeOf; addBelow: () => void; close: () => void }

/** One organization, and what the caller may do with it. */
export function Details({ id, tree, addBelow, close }: Props) {
  const { organizations: t } = useTexts()
  const { data, error, refetch } = useQuery({ ...organization(id), refetchInterval: OTHERS_MS })
  if (error && !data) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={400} />
  const { may } = tree
  const mayDelete = may['organization/create_delete'] === true
  const isOwn = tree.own?.organisations.some((one) => tree.isWithin(one, id)) ?? false
  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-start">
        <Inside id={id} tree={tree} />
        {mayDelete && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={addBelow}
          >
            {t.createBelow}
          </Button>
        )}
      </Group>
      <Edit organization={data} tree={tree} />
      <Part isInside title={t.usage} help={t.usageHelp}>
        <Quotas id={id} tree={tree} />
      </Part>
      {may['organization/update'] && may['user/update'] && (
        <Part isInside title={t.passwords} help={t.passwordsHelp}>
          <Passwords organization={data} tree={tree} />
        </Part>
      )}
      {mayDelete && (
        <Part isInside title={t.delete}>
          {isOwn ? (
            <Text className="muted">{t.isOwn}</Text>
          ) : (
            <Delete organization={data} tree={tree} deleted={close} />
          )}
        </Part>
      )}
    </Stack>
  )
}

/** What is in it and below it, as far as the caller sees it. */
function Inside({ id, tree }: { id: number; tree: TreeOf }) {
  const { organizations: t, installations: of, users } = useTexts()
  const inside = tree.inside(id)
  return (
    <Group gap="4px 16px">
      {inside.organizations > 0 && <Text>{t.belowCount(inside.organizations)}</Text>}
      {tree.installations && <Text>{of.count(inside.installations.length)}</Text>}
      {tree.users && (
        <Link className="link" to="/users" search={{ organization: id }}>
          {users.count(inside.members)}
        </Link>
      )}
    </Group>
  )
}
