import { Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { Schemas } from '../../../tools/client/client.ts'
import { CaracalError } from '../../../tools/client/client.ts'
import { Problem } from '../frame/Problem.tsx'
import { useOrganizations } from '../platform/organizations.ts'
import { installations } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { type Explanation, explanation, roles } from './api.ts'
import { actionOf } from './patterns.ts'
import { nameOf } from './Why.tsx'

type Asked = { user_id: number; permission: string; installation_id: number | undefined }
type Props = { user: Schemas['User'] | undefined; asked: Asked }

/** The answer in words: by which grant of which role, and through what. */
export function Answer({ user, asked }: Props) {
  const { roles: t } = useTexts()
  const { data, error, refetch } = useQuery(explanation(asked))
  const { nameOf: organizationName } = useOrganizations()
  const role = useQuery(roles).data?.find(({ id }) => id === user?.role)
  const place = useQuery(installations).data?.find(({ id }) => id === asked.installation_id)
  if (error instanceof CaracalError && error.status === 403 && error.permissions.length === 0) {
    return <Text role="alert">{t.hidden}</Text>
  }
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={110} radius={12} />
  const who = user ? nameOf(user) : t.user
  const where =
    asked.installation_id === undefined ? '' : place?.name || `id ${asked.installation_id}`
  const meaning = actionOf(asked.permission)?.action ?? asked.permission
  const words = wordsOf(data, {
    texts: t,
    role: role ? t.theRole(role.name) : t.aRole,
    organization: organizationName(data.organization_id ?? 0),
    isThere: asked.installation_id !== undefined
  })
  return (
    <section
      className={`panel why-answer${data.granted ? ' granted' : ''}`}
      aria-label={t.why}
      aria-live="polite"
    >
      <Text fw={700} size="lg">
        {data.granted ? t.yes : t.no}
      </Text>
      <Text fw={600}>{(data.granted ? t.mayDo : t.mayNot)(who, asked.permission, where)}</Text>
      {t.names[meaning] && <Text className="muted">{t.names[meaning]}</Text>}
      {words.map((line) => (
        <Text key={line}>{line}</Text>
      ))}
      {role && (
        <Link from="/roles" search={{ id: role.id }} className="link">
          {t.openRole}
        </Link>
      )}
    </section>
  )
}

type Context = { texts: Texts['roles']; role: string; organization: string; isThere: boolean }

/** Why it is so, a sentence each. */
export function wordsOf(
  { permission, granted, grant, through, unreached }: Explanation,
  { texts: t, role, organization, isThere }: Context
): string[] {
  const known = actionOf(permission)
  if (granted) {
    const by = grant ? [t.byGrant(grant, role)] : []
    if (through === 'organization') return [...by, t.byOrganization(organization)]
    if (through === 'assignment') return [...by, t.byAssignment]
    if (through === 'installation') return [...by, t.byInstallation]
    if (isThere || !known?.scope) return by
    return [...by, known.scope === 'all' ? t.scopeAll : t.scopeAssigned]
  }
  if (isThere && known && known.scope === undefined) return [t.notAbout]
  if (unreached.length === 0) return [t.noGrant(role)]
  return unreached.map((one) =>
    one.through === 'organization'
      ? t.unreached.organization(one.grant, role)
      : t.unreached.assignment(one.grant, role)
  )
}
