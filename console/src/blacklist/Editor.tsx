import { Radio, Select, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { EditorActions } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { useEntry } from '../platform/useEntry.ts'
import { installations } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { blacklist, createEntry, deleteEntry, drafts, readEntry, updateEntry } from './api.ts'
import { draftOf, type Entry, emptyDraft, isTopic } from './draft.ts'

const MOST_SHOWN = 50

type Props = { entry: Entry | undefined; close: () => void }

/** What is refused, or not stored, and why. */
export function Editor({ entry, close }: Props) {
  const { blacklist: t } = useTexts()
  const { of, saved, draft, change, fault, busy, save, remove } = useEntry({
    ...{ drafts, entry, draftOf, empty: emptyDraft, close },
    queryKey: blacklist.queryKey,
    ...{ read: readEntry, create: createEntry, update: updateEntry, remove: deleteEntry },
    permission: () => 'mqtt/blacklist/topic/manage',
    refused: t.refused
  })
  const isWrong = draft.topic !== '' && !isTopic(draft.topic)
  const names: Readonly<Record<string, string>> = {
    ...{ topic: t.topic, mode: t.mode, enabled: t.enabled, reason: t.reason }
  }
  return (
    <form
      className="entry-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (isTopic(draft.topic)) void save(draft)
      }}
    >
      <Place topic={draft.topic} change={(topic) => change({ ...draft, topic })} />
      <TextInput
        label={t.topic}
        description={t.topicHelp}
        required
        maxLength={1000}
        autoComplete="off"
        spellCheck={false}
        value={draft.topic}
        error={isWrong ? t.topicWrong : undefined}
        onChange={(event) => change({ ...draft, topic: event.currentTarget.value })}
      />
      {/^[+#]/.test(draft.topic) && <Text className="muted">{t.broad}</Text>}
      <Radio.Group
        label={t.mode}
        value={draft.mode}
        onChange={(mode) => change({ ...draft, mode: mode === 'ignore' ? 'ignore' : 'block' })}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="block" label={t.block} description={t.blockHelp} />
          <Radio value="ignore" label={t.ignore} description={t.ignoreHelp} />
        </Stack>
      </Radio.Group>
      <Textarea
        label={t.reason}
        description={t.reasonHelp}
        autosize
        maxRows={6}
        maxLength={1000}
        value={draft.reason}
        onChange={(event) => change({ ...draft, reason: event.currentTarget.value })}
      />
      <Switch
        label={t.enabled}
        checked={draft.enabled}
        onChange={(event) => change({ ...draft, enabled: event.currentTarget.checked })}
      />
      <Meanwhile
        {...{ drafts, of, saved }}
        nameOf={(field) => names[field]}
        textOf={(value, field) =>
          field === 'mode' ? (value === 'ignore' ? t.ignore : t.block) : undefined
        }
      />
      {fault && <Fault text={fault} />}
      <EditorActions
        texts={{ ...t, deleteSure: t.deleteSure(entry?.topic ?? '') }}
        isNew={!entry}
        busy={busy}
        maySave
        canSave={isTopic(draft.topic) && (!entry || drafts.has())}
        remove={entry && (() => void remove())}
      />
    </form>
  )
}

type PlaceProps = { topic: string; change: (topic: string) => void }

/** Puts the client id of an installation in front of the topic. */
function Place({ topic, change }: PlaceProps) {
  const { blacklist: t } = useTexts()
  const { data = [] } = useQuery(installations)
  const [first = '', ...rest] = topic.split('/')
  const here = data.find(({ client_id }) => String(client_id) === first)
  return (
    <Select
      label={t.installation}
      description={t.installationHelp}
      placeholder={t.choose}
      searchable
      allowDeselect={false}
      limit={MOST_SHOWN}
      data={data.map(({ client_id, name }) => ({
        value: String(client_id),
        label: `${name || t.unnamed} (${client_id})`
      }))}
      value={here ? first : null}
      onChange={(id) => id && change([id, ...(rest.length > 0 ? rest : ['obj', '#'])].join('/'))}
    />
  )
}
