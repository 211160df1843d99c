import {
  Alert,
  Button,
  Group,
  Select,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title
} from '@mantine/core'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { appJson, create, instances, read, remove, update, versionsOf } from './api.ts'
import {
  bodyOf,
  configOf,
  type Draft,
  draftOf,
  drafts,
  dropDraft,
  hasDraft,
  type Instance,
  isReadable,
  keyOf,
  newDraft,
  othersOf,
  withValue
} from './draft.ts'
import { FieldInput } from './FieldInput.tsx'
import { type Field, isFitting, type Section, sectionsOf } from './fields.ts'
import { callOf, newerThan, shortHash, titleOf } from './versions.ts'

export type Place = {
  installation_id: number
  app: { id: number; name: string }
  may: { save: boolean; delete: boolean }
  done: () => void
}

/** A new one begins with the newest version and what its app.json says to begin with. */
export function NewInstance(place: Place) {
  const { apps: t } = useTexts()
  const versions = useQuery(versionsOf(place.app.id))
  const first = versions.data?.find(({ name }) => name !== '') ?? versions.data?.[0]
  const json = useQuery(appJson(place.app.id, first ? callOf(first) : ''))
  if (versions.error) return <Fault text={versions.error.message} />
  if (versions.data?.length === 0) return <Text role="alert">{t.noVersion}</Text>
  if (json.error) return <Fault text={json.error.message} />
  if (!first || json.data === undefined) return <Skeleton h={300} />
  const fields = sectionsOf(json.data).flatMap((section) => section.fields)
  return <Editor {...place} saved={newDraft(place.app.name, callOf(first), fields)} />
}

type Props = Place & { instance?: Instance; saved: Draft }

/** Name, version and configuration of an app on an installation. */
export function Editor({ installation_id, app, may, done, instance, saved }: Props) {
  const texts = useTexts()
  const { apps: t } = texts
  const of = `${installation_id}/${instance?.id ?? `new ${app.id}`}`
  const [draft, change] = useDraftOf(drafts, of, saved)
  const json = useQuery({
    ...appJson(app.id, draft.version),
    placeholderData: keepPreviousData
  })
  const sections = sectionsOf(json.data)
  const fields = sections.flatMap((section) => section.fields)
  const others = json.isPending ? [] : othersOf(fields, draft)
  const { queryKey } = instances(installation_id)
  const { fault, busy, run } = useEditing(
    () => queryClient.invalidateQueries({ queryKey }),
    (work) => `edge/app/configured/${work === 'save' && instance ? 'update' : 'create_delete'}`
  )
  const show = (now: Instance) =>
    queryClient.setQueryData(
      queryKey,
      (list: Instance[] | undefined) =>
        list && [...list.filter(({ id }) => id !== now.id), now].sort((a, b) => a.id - b.id)
    )
  const save = async () => {
    const body = bodyOf(app.id, draft, fields)
    const stored = instance
      ? await saveOnSeen({
          read: () => read(instance),
          isKnown: (now) => drafts.isBase(of, draftOf(now)),
          write: (etag) => update(instance, body, etag),
          show
        })
      : await create(installation_id, body)
    show(stored)
    dropDraft()
    done()
  }
  const isReady =
    !json.isPending &&
    !json.isPlaceholderData &&
    isReadable(draft) &&
    isFitting(fields, configOf(draft))
  const names = new Map(fields.map(({ key, name }) => [key, name]))
  const parts = { installation_id, draft, change, isLocked: !may.save }
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) void run('save', save)
      }}
    >
      <Stack gap="sm" pb="md">
        <TextInput
          label={t.name}
          description={t.nameHelp}
          maxLength={255}
          value={draft.name}
          readOnly={!may.save}
          data-autofocus
          onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
        />
        <VersionField {...parts} app_id={app.id} />
        {json.isPending ? (
          <Skeleton h={160} />
        ) : (
          <>
            {json.isError && <Text role="alert">{t.noDescription}</Text>}
            {sections.map((section) => (
              <Part
                key={`${section.title} ${section.fields[0]?.key}`}
                {...parts}
                section={section}
              />
            ))}
            {others.length > 0 && (
              <Part
                {...parts}
                section={{ title: t.others, description: t.othersHelp, fields: others }}
              />
            )}
            {!json.isError && fields.length + others.length === 0 && (
              <Text className="muted">{t.nothingToSet}</Text>
            )}
          </>
        )}
        <Meanwhile
          {...{ drafts, of, saved }}
          nameOf={(field) => nameOf(field, names, t)}
          textOf={(value, field) =>
            typeof value === 'number' && keyOf(field) !== undefined ? String(value) : undefined
          }
        />
        {fault && <Fault text={fault} />}
        {may.save && !isReady && !json.isPending && <Text className="muted">{t.incomplete}</Text>}
        <EditorActions
          texts={{ ...t, deleteSure: t.deleteSure(draftTitle(saved, app)) }}
          isNew={!instance}
          busy={busy}
          maySave={may.save}
          canSave={isReady && (!instance || hasDraft())}
          remove={
            instance && may.delete
              ? () =>
                  void run('delete', async () => {
                    await remove(instance)
                    dropDraft()
                    done()
                  })
              : undefined
          }
        />
      </Stack>
    </form>
  )
}

const draftTitle = ({ name }: Draft, app: Place['app']): string => name || app.name

function nameOf(
  field: string,
  names: ReadonlyMap<string, string>,
  t: { name: string; version: string }
): string | undefined {
  const key = keyOf(field)
  if (key !== undefined) return names.get(key) ?? key
  return field === 'name' ? t.name : t.version
}

type PartProps = {
  installation_id: number
  draft: Draft
  change: (draft: Draft) => void
  isLocked: boolean
}

function Part({
  installation_id,
  draft,
  change,
  isLocked,
  section
}: PartProps & { section: Section }) {
  const config = configOf(draft)
  const input = (field: Field) => (
    <FieldInput
      key={field.key}
      {...{ installation_id, field, isLocked }}
      value={config[field.key]}
      change={(value) => change(withValue(draft, field.key, value))}
    />
  )
  return (
    <Stack gap="sm">
      {(section.title || section.description) && (
        <div>
          {section.title && (
            <Title order={3} size="h5" mt="xs">
              {section.title}
            </Title>
          )}
          <Text className="muted app-text">{section.description}</Text>
        </div>
      )}
      {section.fields.map(input)}
    </Stack>
  )
}

/** Which version runs, and the newest one if that is another. */
function VersionField({ draft, change, isLocked, app_id }: PartProps & { app_id: number }) {
  const { apps: t } = useTexts()
  const { data = [] } = useQuery(versionsOf(app_id))
  const newer = newerThan(data, draft.version)
  const options = data.map((version) => ({
    value: callOf(version),
    label: version.name || t.unnamed(shortHash(version.hash))
  }))
  const isListed = options.some(({ value }) => value === draft.version)
  if (!isListed) options.push({ value: draft.version, label: titleOf(data, draft.version) })
  const set = (version: string) => change({ ...draft, version })
  return (
    <>
      <Select
        label={t.version}
        data={options}
        value={draft.version}
        readOnly={isLocked}
        allowDeselect={false}
        comboboxProps={{ zIndex: 400 }}
        onChange={(version) => version !== null && set(version)}
      />
      {newer && data.length > 0 && !isLocked && (
        <Alert variant="light" color="gray" title={t.newer(newer.name)}>
          <Group>
            <Button size="xs" variant="default" onClick={() => set(callOf(newer))}>
              {t.updateTo(newer.name)}
            </Button>
          </Group>
        </Alert>
      )}
    </>
  )
}
