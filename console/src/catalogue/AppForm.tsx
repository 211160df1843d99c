import { Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { edgeApps } from '../app/api.ts'
import type { EdgeApp } from '../app/types.ts'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { createApp, readApp, removeApp, updateApp } from './api.ts'
import { type AppBody, type AppDraft, appBody, appDraftOf, emptyApp } from './draft.ts'
import { appDrafts } from './drafts.ts'

type Props = {
  /** Undefined: a new one. */
  app: EdgeApp | undefined
  publishers: readonly { id: number; name: string }[]
  /** Whether the caller may say that an app is official. */
  mayBless: boolean
  saved: (app: EdgeApp) => void
  deleted: () => void
}

/** What an app of the caller's organizations is, apart from its versions. */
export function AppForm({ app, publishers, mayBless, saved: onSaved, deleted }: Props) {
  const { catalogue: t } = useTexts()
  const of = String(app?.id ?? 'new')
  const saved = app ? appDraftOf(app) : emptyApp(String(publishers[0]?.id ?? ''))
  const [draft, change] = useDraftOf(appDrafts, of, saved)
  const body = appBody(draft)
  const { fault, busy, run } = useEditing(
    () => queryClient.invalidateQueries({ queryKey: edgeApps.queryKey }),
    (work) => (work === 'save' && !app ? 'edge/app/create' : 'edge/app/update')
  )
  const show = (now: EdgeApp) =>
    queryClient.setQueryData(
      edgeApps.queryKey,
      (list: EdgeApp[] | undefined) => list && [...list.filter(({ id }) => id !== now.id), now]
    )
  const save = async (body: AppBody) => {
    const stored = app
      ? await saveOnSeen({
          read: () => readApp(app),
          isKnown: (now) => appDrafts.isBase(of, appDraftOf(now)),
          write: (etag) => updateApp(app, body, etag),
          show
        })
      : await createApp(body)
    show(stored)
    appDrafts.drop()
    onSaved(stored)
  }
  const remove = async () => {
    if (app) await removeApp(app)
    appDrafts.drop()
    deleted()
  }
  const text = (field: 'name' | 'category' | 'tags' | 'short_description' | 'source_url') => ({
    label: t.fields[field],
    value: draft[field],
    onChange: (event: { currentTarget: { value: string } }) =>
      change({ ...draft, [field]: event.currentTarget.value })
  })
  const toggle = (field: 'public' | 'official') => (
    <Switch
      label={t.fields[field]}
      description={t.help[field]}
      checked={draft[field]}
      onChange={(event) => change({ ...draft, [field]: event.currentTarget.checked })}
    />
  )
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (body) void run('save', () => save(body))
      }}
    >
      <Stack gap="sm">
        <TextInput {...text('name')} required maxLength={255} data-autofocus />
        {!app && (
          <Select
            label={t.fields.publisher}
            description={t.help.publisher}
            data={publishers.map(({ id, name }) => ({ value: String(id), label: name }))}
            value={draft.publisher || null}
            required
            searchable
            limit={100}
            allowDeselect={false}
            comboboxProps={{ zIndex: 400 }}
            onChange={(publisher) => publisher !== null && change({ ...draft, publisher })}
          />
        )}
        <TextInput {...text('short_description')} maxLength={1000} />
        <Textarea
          label={t.fields.description}
          autosize
          minRows={3}
          maxRows={14}
          maxLength={65_536}
          value={draft.description}
          onChange={(event) => change({ ...draft, description: event.currentTarget.value })}
        />
        <TextInput {...text('category')} maxLength={255} />
        <TextInput {...text('tags')} description={t.help.tags} />
        <TextInput {...text('source_url')} maxLength={2000} />
        {toggle('public')}
        {mayBless && toggle('official')}
        <Meanwhile
          {...{ of, saved }}
          drafts={appDrafts}
          nameOf={(field) => t.fields[field as keyof AppDraft]}
        />
        {fault && <Fault text={fault} />}
        <EditorActions
          texts={{ ...t, deleteSure: t.deleteSure(saved.name) }}
          isNew={!app}
          busy={busy}
          maySave
          canSave={body !== undefined && (!app || appDrafts.has())}
          remove={app && (() => void run('delete', remove))}
        />
      </Stack>
    </form>
  )
}
