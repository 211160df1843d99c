import '../platform/platform.css'
import { Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { Leaving } from '../frame/Leaving.tsx'
import { Entries } from '../platform/EntryPage.tsx'
import { useOrganizations } from '../platform/organizations.ts'
import type { EntrySearch } from '../platform/search.ts'
import { permissions } from '../queries.ts'
import { drafts, gatewayDrafts, policies } from '../registration/api.ts'
import { draftOf, type Policy } from '../registration/draft.ts'
import { Editor } from '../registration/Editor.tsx'
import { GatewayForm } from '../registration/GatewayForm.tsx'
import { useRoleNames } from '../registration/role-names.ts'
import { useTexts } from '../texts/texts.ts'

/** Who may register: people by their address, and gateways. */
export function RegistrationPage() {
  const { registration: t, error } = useTexts()
  const may = useQuery(permissions).data
  const mayPeople = may?.['registration/policy/list'] === true
  const mayGateways = may?.['gateway/registration/policy'] === true
  return (
    <Stack gap="lg">
      <Title order={1}>{t.title}</Title>
      {mayPeople && <People />}
      {mayGateways && <GatewayForm />}
      {may && !mayPeople && !mayGateways && (
        <Text role="alert">{error.needs('registration/policy/list')}</Text>
      )}
      <Leaving hasDraft={gatewayDrafts.has} dropDraft={gatewayDrafts.drop} keys={[]} />
    </Stack>
  )
}

function People() {
  const { registration: t } = useTexts()
  const search = useSearch({ from: '/frame/registration' })
  const navigate = useNavigate({ from: '/registration' })
  const set = (search: EntrySearch) => void navigate({ search, resetScroll: false })
  const words = useWords()
  const may = useQuery(permissions).data ?? {}
  return (
    <Stack gap="sm" component="section" aria-label={t.people}>
      <div>
        <Title order={2} size="h4">
          {t.people}
        </Title>
        <Text className="muted" maw={680}>
          {t.peopleHelp}
        </Text>
      </div>
      <Entries
        texts={t}
        query={useQuery(policies)}
        {...{ search, set }}
        mayAdd={may['registration/policy/create_delete'] === true}
        wordsOf={(policy) => [policy.email_pattern, words(policy)]}
        line={(policy) => (
          <>
            <Link from="/registration" search={{ id: policy.id }} className="open" preload={false}>
              {policy.email_pattern}
            </Link>
            <span className="muted">{words(policy)}</span>
          </>
        )}
        editor={(policy, close) => <Editor policy={policy} close={close} />}
      />
      <Leaving hasDraft={drafts.has} dropDraft={drafts.drop} keys={['id', 'add']} />
    </Stack>
  )
}

/** What a policy does, in a sentence. */
function useWords(): (policy: Policy) => string {
  const { registration: t } = useTexts()
  const { nameOf } = useOrganizations()
  const roleNames = useRoleNames()
  return (policy) => {
    const { how, organization_id, role_id } = draftOf(policy)
    return (how === 'join' ? t.joins : t.getsOwn)(
      nameOf(organization_id),
      roleNames.nameOf(role_id)
    )
  }
}
