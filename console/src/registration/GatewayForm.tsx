import { Button, Group, Skeleton, Switch, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { useEditing } from '../frame/EditorActions.tsx'
import { Problem } from '../frame/Problem.tsx'
import { Fault } from '../modelx/Details.tsx'
import { OrganizationSelect } from '../platform/OrganizationSelect.tsx'
import { useOrganizations } from '../platform/organizations.ts'
import { queryClient } from '../queries.ts'
import { useRights } from '../role/lock.ts'
import { useTexts } from '../texts/texts.ts'
import {
  gatewayDrafts as drafts,
  gatewayPolicy,
  readGatewayPolicy,
  updateGatewayPolicy
} from './api.ts'
import type { GatewayPolicy } from './draft.ts'

const OF = 'gateways'

/** Whether gateways may choose their own password. */
export function GatewayForm() {
  const { registration: t } = useTexts()
  const { data, error, refetch } = useQuery(gatewayPolicy)
  return (
    <section className="panel part" aria-label={t.gateways}>
      <div>
        <Title order={2} size="h4">
          {t.gateways}
        </Title>
        <Text className="muted">{t.gatewaysHelp}</Text>
      </div>
      {data ? (
        <Form policy={data} />
      ) : error ? (
        <Problem error={error} again={() => void refetch()} />
      ) : (
        <Skeleton h={120} />
      )}
    </section>
  )
}

function Form({ policy }: { policy: GatewayPolicy }) {
  const { registration: t } = useTexts()
  const { nameOf } = useOrganizations()
  const { isTop } = useRights()
  const [draft, change] = useDraftOf(drafts, OF, policy)
  const [isSaved, setSaved] = useState(false)
  const show = (now: GatewayPolicy) => queryClient.setQueryData(gatewayPolicy.queryKey, now)
  const { fault, busy, run } = useEditing(
    async () => {},
    () => 'gateway/registration/policy'
  )
  const save = () =>
    run('save', async () => {
      const isKnown = (now: GatewayPolicy) => drafts.isBase(OF, now)
      const write = (etag: string) => updateGatewayPolicy(draft, etag)
      show(await saveOnSeen({ read: readGatewayPolicy, isKnown, write, show }))
      drafts.drop()
      setSaved(true)
    })
  const edit = (next: GatewayPolicy) => {
    setSaved(false)
    change(next)
  }
  const names: Readonly<Record<string, string>> = {
    ...{ allow_unregistered: t.allow, default_organization_id: t.gatewayPlace }
  }
  return (
    <form
      className="entry-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Switch
        label={t.allow}
        description={t.allowHelp}
        checked={draft.allow_unregistered}
        disabled={!isTop}
        onChange={(event) => edit({ ...draft, allow_unregistered: event.currentTarget.checked })}
      />
      <OrganizationSelect
        label={t.gatewayPlace}
        description={t.gatewayPlaceHelp}
        value={draft.default_organization_id}
        isLocked={!isTop}
        change={(default_organization_id) => edit({ ...draft, default_organization_id })}
      />
      <Meanwhile
        {...{ drafts, of: OF, saved: policy }}
        nameOf={(field) => names[field]}
        textOf={(value, field) =>
          field === 'default_organization_id' ? nameOf(Number(value)) : undefined
        }
      />
      {fault && <Fault text={fault} />}
      {isTop ? (
        <Group>
          <Button type="submit" loading={busy === 'save'} disabled={!drafts.has()}>
            {t.save}
          </Button>
          <Text role="status" className="muted">
            {isSaved && t.saved}
          </Text>
        </Group>
      ) : (
        <Text className="muted">{t.gatewaysLocked}</Text>
      )}
    </form>
  )
}
