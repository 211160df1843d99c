import { Radio, Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { EditorActions } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { OrganizationSelect } from '../platform/OrganizationSelect.tsx'
import { useOrganizations } from '../platform/organizations.ts'
import { useEntry } from '../platform/useEntry.ts'
import { me, permissions } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { createPolicy, deletePolicy, drafts, policies, readPolicy, updatePolicy } from './api.ts'
import { bodyOf, draftOf, emptyDraft, isEmailPattern, type Policy } from './draft.ts'
import { useRoleNames } from './role-names.ts'

const MOST_SHOWN = 50

type Props = { policy: Policy | undefined; close: () => void }

/** Who may register, where they belong then, and with which role. */
export function Editor({ policy, close }: Props) {
  const { registration: t } = useTexts()
  const { nameOf } = useOrganizations()
  const roleNames = useRoleNames()
  const may = useQuery(permissions).data ?? {}
  const first = useQuery(me).data?.organisations[0] ?? 0
  const mayAdd = may['registration/policy/create_delete'] === true
  const maySave = policy ? may['registration/policy/update'] === true : mayAdd
  const { of, saved, draft, change, fault, busy, save, remove } = useEntry({
    ...{ drafts, entry: policy, draftOf, empty: emptyDraft(first), close },
    queryKey: policies.queryKey,
    ...{ read: readPolicy, create: createPolicy, update: updatePolicy, remove: deletePolicy },
    permission: (work) =>
      `registration/policy/${work === 'save' && policy ? 'update' : 'create_delete'}`,
    refused: t.refused
  })
  const body = bodyOf(draft)
  const isWrong = draft.email_pattern !== '' && !isEmailPattern(draft.email_pattern.trim())
  const names: Readonly<Record<string, string>> = {
    ...{ email_pattern: t.pattern, role_id: t.role, how: t.how, organization_id: t.place }
  }
  const textOf = (value: unknown, field: string) => {
    if (field === 'role_id') return roleNames.nameOf(Number(value))
    if (field === 'organization_id') return nameOf(Number(value))
    return field === 'how' ? (value === 'join' ? t.join : t.below) : undefined
  }
  return (
    <form
      className="entry-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (body) void save(body)
      }}
    >
      {!maySave && <Text className="muted">{t.locked}</Text>}
      <TextInput
        label={t.pattern}
        description={t.patternHelp}
        required
        maxLength={255}
        autoComplete="off"
        placeholder="*@example.com"
        value={draft.email_pattern}
        readOnly={!maySave}
        error={isWrong ? t.patternWrong : undefined}
        onChange={(event) => change({ ...draft, email_pattern: event.currentTarget.value })}
      />
      <Radio.Group
        label={t.how}
        value={draft.how}
        onChange={(how) => change({ ...draft, how: how === 'below' ? 'below' : 'join' })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="join" label={t.join} disabled={!maySave} />
          <Radio value="below" label={t.below} description={t.belowHelp} disabled={!maySave} />
        </Stack>
      </Radio.Group>
      <OrganizationSelect
        label={t.place}
        value={draft.organization_id}
        isLocked={!maySave}
        change={(organization_id) => change({ ...draft, organization_id })}
      />
      <Select
        label={t.role}
        description={t.roleHelp}
        searchable
        allowDeselect={false}
        limit={MOST_SHOWN}
        disabled={!maySave}
        data={roleNames.choices(draft.role_id)}
        value={String(draft.role_id)}
        onChange={(id) => id && change({ ...draft, role_id: Number(id) })}
      />
      <Meanwhile {...{ drafts, of, saved }} nameOf={(field) => names[field]} textOf={textOf} />
      {fault && <Fault text={fault} />}
      <EditorActions
        texts={{ ...t, deleteSure: t.deleteSure(policy?.email_pattern ?? '') }}
        isNew={!policy}
        busy={busy}
        maySave={maySave}
        canSave={body !== undefined && (!policy || drafts.has())}
        remove={policy && mayAdd ? () => void remove() : undefined}
      />
    </form>
  )
}
