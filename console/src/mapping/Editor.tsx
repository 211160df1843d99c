import { Button, Select, Stack, Switch, TextInput } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import type { Owner } from '../frame/owner.ts'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { create, makes, mappings, read, remove, update } from './api.ts'
import {
  bodyOf,
  type Draft,
  draftOf,
  drafts,
  dropDraft,
  emptyDraft,
  hasDraft,
  type Make,
  type Mapping,
  type MappingBody,
  withNewValue,
  withoutValue,
  withValue
} from './draft.ts'
import { TryPanel } from './TryPanel.tsx'
import { ValueFields } from './ValueFields.tsx'

type Props = {
  /** Where it is tried. */
  installation: { id: number; client_id: number }
  owner: Owner
  /** Undefined: a new one. */
  mapping: Mapping | undefined
  may: { save: boolean; delete: boolean }
  saved: (mapping: Mapping) => void
  deleted: () => void
}

/** A mapping, and beside it what it makes of a message. */
export function Editor({ installation, owner, mapping, may, saved: onSaved, deleted }: Props) {
  const { mapping: t } = useTexts()
  const of = `${owner.kind} ${owner.id}/${mapping?.id ?? 'new'}`
  const { queryKey } = mappings(owner)
  const saved = mapping ? draftOf(mapping) : emptyDraft
  const [draft, change] = useDraftOf(drafts, of, saved)
  const body = bodyOf(draft)
  const { fault, busy, run } = useEditing(
    () => queryClient.invalidateQueries({ queryKey }),
    (work) => `mapping/${work === 'save' && mapping ? 'update' : 'create_delete'}`
  )
  const show = (now: Mapping) =>
    queryClient.setQueryData(
      queryKey,
      (list: Mapping[] | undefined) => list && [...list.filter(({ id }) => id !== now.id), now]
    )
  const save = async (body: MappingBody) => {
    const made = mapping
      ? await saveOnSeen({
          read: () => read(owner, mapping.id),
          isKnown: (now) => drafts.isBase(of, draftOf(now)),
          write: (etag) => update(owner, mapping.id, { body, etag }),
          show
        })
      : await create(owner, body)
    show(made)
    dropDraft()
    onSaved(made)
  }
  return (
    <form
      className="mapping-editor"
      onSubmit={(event) => {
        event.preventDefault()
        if (body) void run('save', () => save(body))
      }}
    >
      <Stack gap="sm">
        <Fields draft={draft} change={change} isLocked={!may.save} />
        <Meanwhile {...{ drafts, of, saved }} {...fieldTexts(t)} />
        {fault && <Fault text={fault} />}
        <EditorActions
          texts={t}
          isNew={!mapping}
          busy={busy}
          maySave={may.save}
          canSave={body !== undefined && (!mapping || hasDraft())}
          remove={
            mapping && may.delete
              ? () =>
                  void run('delete', async () => {
                    await remove(owner, mapping.id)
                    dropDraft()
                    deleted()
                  })
              : undefined
          }
        />
      </Stack>
      <TryPanel installation={installation} body={body} />
    </form>
  )
}

type FieldsProps = { draft: Draft; change: (draft: Draft) => void; isLocked: boolean }

function Fields({ draft, change, isLocked }: FieldsProps) {
  const { mapping: t } = useTexts()
  const { name, make, filter, active, create_missing, values } = draft
  return (
    <>
      <TextInput
        label={t.name}
        value={name}
        readOnly={isLocked}
        data-autofocus
        onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
      />
      <Select
        label={t.make}
        description={t.makeHelp}
        data={[
          { value: '', label: t.noMake },
          ...makes.map((one) => ({ value: one, label: t.makes[one] }))
        ]}
        value={make}
        readOnly={isLocked}
        allowDeselect={false}
        comboboxProps={{ zIndex: 400 }}
        onChange={(value) => change({ ...draft, make: (value ?? '') as Make })}
      />
      <TextInput
        label={t.filter}
        description={make === '' ? t.filterHelp : t.filterOfMake}
        placeholder={make === '' ? 'dev/tele/+/SENSOR' : ''}
        required={make === ''}
        value={filter}
        readOnly={isLocked}
        onChange={(event) => change({ ...draft, filter: event.currentTarget.value })}
      />
      <Switch
        label={t.active}
        checked={active}
        disabled={isLocked}
        onChange={(event) => change({ ...draft, active: event.currentTarget.checked })}
      />
      <Switch
        label={t.createMissing}
        checked={create_missing}
        disabled={isLocked}
        onChange={(event) => change({ ...draft, create_missing: event.currentTarget.checked })}
      />
      {make === '' &&
        values.map((value, i) => (
          <ValueFields
            key={value.row}
            value={value}
            place={i + 1}
            isLocked={isLocked}
            change={(changed) => change(withValue(draft, changed))}
            remove={values.length > 1 ? () => change(withoutValue(draft, value.row)) : undefined}
          />
        ))}
      {make === '' && !isLocked && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change(withNewValue(draft))}
        >
          {t.addValue}
        </Button>
      )}
    </>
  )
}

const fieldTexts = (t: Texts['mapping']) => {
  const names: Readonly<Record<string, string>> = {
    ...{ name: t.name, active: t.active, make: t.make, filter: t.filter },
    ...{ create_missing: t.createMissing, values: t.value }
  }
  return {
    nameOf: (field: string) => names[field],
    textOf: (value: unknown, field: string) =>
      field === 'values'
        ? (value as Draft['values']).map(({ path, topic }) => `${path} → ${topic}`).join('; ')
        : undefined
  }
}
