import { Stack, Text, TextInput } from '@mantine/core'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { OrganizationSelect } from '../platform/OrganizationSelect.tsx'
import { useOrganizations } from '../platform/organizations.ts'
import { told } from '../platform/told.ts'
import { queryClient } from '../queries.ts'
import { type Texts, useLocale, useTexts } from '../texts/texts.ts'
import { createRole, deleteRole, type Role, readRole, roles, updateRole } from './api.ts'
import { bodyOf, type Draft, draftOf, drafts, dropDraft, hasDraft, readPriority } from './draft.ts'
import { lockOf, type Rights, staysForever } from './lock.ts'
import { Patterns } from './Patterns.tsx'
import { Picker } from './Picker.tsx'

const FIRST_PRIORITY = 100

type Props = {
  /** Undefined: a new one. */
  role: Role | undefined
  rights: Rights
  saved: (role: Role) => void
  deleted: () => void
}

/** What a role is called, how high it is, and what it allows. */
export function Editor({ role, rights, saved: onSaved, deleted }: Props) {
  const texts = useTexts()
  const { roles: t } = texts
  const of = String(role?.id ?? 'new')
  const saved = role ? draftOf(role) : newDraft(rights)
  const [draft, change] = useDraftOf(drafts, of, saved)
  const body = bodyOf(draft)
  const isHigh = (readPriority(draft.priority) ?? 0) > (rights.priority ?? Infinity)
  const lock = role && lockOf(role, rights, texts)
  const isLocked = lock !== undefined
  const mayDelete = role && rights.mayCreate && !staysForever(role) && !isLocked
  const { fault, busy, run } = useEditing(
    () => queryClient.invalidateQueries(roles),
    (work) => `role/${work === 'save' && role ? 'update' : 'create_delete'}`
  )
  const show = (now: Role) =>
    queryClient.setQueryData(
      roles.queryKey,
      (list) => list && [...list.filter(({ id }) => id !== now.id), now]
    )
  const save = async (body: NonNullable<ReturnType<typeof bodyOf>>) => {
    const made = role
      ? await saveOnSeen({
          read: () => readRole(role.id),
          isKnown: (now) => drafts.isBase(of, draftOf(now)),
          write: (etag) => updateRole(role.id, { body, etag }),
          show
        })
      : await createRole({ ...body, organization_id: draft.organization_id })
    show(made)
    dropDraft()
    onSaved(made)
  }
  const picking = {
    grants: draft.grants,
    change: (grants: string[]) => change({ ...draft, grants }),
    own: rights.own,
    isLocked
  }
  return (
    <form
      className="entry-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (body && !isHigh) void run('save', () => told(save(body), t.refused))
      }}
    >
      {lock && <Text className="muted">{lock}</Text>}
      <Head {...{ draft, change, isLocked, rights, isHigh }} isNew={!role} />
      <Patterns {...picking} />
      <Picker {...picking} />
      <Meanwhile {...{ drafts, of, saved }} {...fieldTexts(t)} />
      {fault && <Fault text={fault} />}
      {role && staysForever(role) && !isLocked && <Text className="muted">{t.comesWith}</Text>}
      <EditorActions
        texts={{ ...t, deleteSure: t.deleteSure(role?.name ?? '') }}
        isNew={!role}
        busy={busy}
        maySave={role ? !isLocked : rights.mayCreate}
        canSave={body !== undefined && !isHigh && (!role || hasDraft())}
        remove={
          mayDelete
            ? () =>
                void run('delete', async () => {
                  await told(deleteRole(role.id), t.refused)
                  dropDraft()
                  deleted()
                })
            : undefined
        }
      />
    </form>
  )
}

const newDraft = ({ isTop, firstOrganization, priority = FIRST_PRIORITY }: Rights): Draft => ({
  name: '',
  priority: String(Math.min(FIRST_PRIORITY, priority)),
  organization_id: isTop ? 0 : firstOrganization,
  grants: []
})

type HeadProps = {
  draft: Draft
  change: (draft: Draft) => void
  isLocked: boolean
  isNew: boolean
  isHigh: boolean
  rights: Rights
}

function Head({ draft, change, isLocked, isNew, isHigh, rights }: HeadProps) {
  const { roles: t } = useTexts()
  const { nameOf } = useOrganizations()
  const number = new Intl.NumberFormat(useLocale())
  const { organization_id: place } = draft
  const isWrong = readPriority(draft.priority) === undefined
  return (
    <Stack gap="sm">
      <TextInput
        label={t.name}
        required
        maxLength={255}
        value={draft.name}
        readOnly={isLocked}
        onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
      />
      <TextInput
        label={t.priority}
        description={
          rights.priority === undefined || isLocked
            ? undefined
            : t.priorityHelp(number.format(rights.priority))
        }
        inputMode="numeric"
        value={draft.priority}
        readOnly={isLocked}
        error={isWrong ? t.priorityWrong : isHigh ? t.priorityHigh : undefined}
        onChange={(event) => change({ ...draft, priority: event.currentTarget.value })}
      />
      {isNew ? (
        <OrganizationSelect
          label={t.place}
          description={t.placeHelp}
          value={place}
          none={rights.isTop ? t.platform : undefined}
          change={(organization_id) => change({ ...draft, organization_id })}
        />
      ) : (
        <Text className="muted">{place === 0 ? t.ofPlatform : t.of(nameOf(place))}</Text>
      )}
    </Stack>
  )
}

function fieldTexts(t: Texts['roles']) {
  const names: Readonly<Record<string, string>> = {
    ...{ name: t.name, priority: t.priority, grants: t.permissions }
  }
  return {
    nameOf: (field: string) => names[field],
    textOf: (value: unknown, field: string) =>
      field === 'grants' && Array.isArray(value) ? value.join('\n') : undefined
  }
}
