import { ActionIcon, Autocomplete, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { EditorActions } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { OrganizationSelect } from '../platform/OrganizationSelect.tsx'
import { useOrganizations } from '../platform/organizations.ts'
import { useEntry } from '../platform/useEntry.ts'
import { me } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import {
  createExecutor,
  deleteExecutor,
  drafts,
  executors,
  readExecutor,
  updateExecutor
} from './api.ts'
import {
  bodyOf,
  type Draft,
  draftOf,
  type Executor,
  emptyDraft,
  isUrl,
  type Pair
} from './draft.ts'
import { Secret } from './Secret.tsx'

const types = ['http', 'smtp', 'sms', 'push']
const MAX_PAIRS = 49

type Props = { executor: Executor | undefined; close: () => void }

/** Where notifications are sent to, and with what. */
export function Editor({ executor, close }: Props) {
  const { executors: t } = useTexts()
  const { nameOf } = useOrganizations()
  const first = useQuery(me).data?.organisations[0] ?? 0
  const { of, saved, draft, change, fault, busy, save, remove } = useEntry({
    ...{ drafts, entry: executor, draftOf, empty: emptyDraft(first), close },
    queryKey: executors.queryKey,
    ...{ read: readExecutor, create: createExecutor },
    ...{ update: updateExecutor, remove: deleteExecutor },
    permission: () => 'notification/executor/manage',
    refused: t.refused
  })
  const body = bodyOf(draft)
  return (
    <form
      className="entry-form"
      onSubmit={(event) => {
        event.preventDefault()
        if (body) void save(body)
      }}
    >
      <Fields {...{ draft, change }} />
      <Pairs config={draft.config} change={(config) => change({ ...draft, config })} />
      <Secret {...{ draft, change }} />
      <Meanwhile {...{ drafts, of, saved }} {...fieldTexts(t, nameOf)} />
      {fault && <Fault text={fault} />}
      <EditorActions
        texts={{ ...t, deleteSure: t.deleteSure(executor?.name ?? '') }}
        isNew={!executor}
        busy={busy}
        maySave
        canSave={body !== undefined && (!executor || drafts.has())}
        remove={executor && (() => void remove())}
      />
    </form>
  )
}

type FieldsProps = { draft: Draft; change: (draft: Draft) => void }

function Fields({ draft, change }: FieldsProps) {
  const { executors: t } = useTexts()
  return (
    <>
      <TextInput
        label={t.name}
        required
        maxLength={255}
        value={draft.name}
        onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
      />
      <TextInput
        label={t.url}
        description={t.urlHelp}
        required
        type="url"
        value={draft.url}
        error={draft.url !== '' && !isUrl(draft.url.trim()) ? t.urlWrong : undefined}
        onChange={(event) => change({ ...draft, url: event.currentTarget.value })}
      />
      <Autocomplete
        label={t.type}
        description={t.typeHelp}
        maxLength={100}
        data={types}
        value={draft.type}
        onChange={(type) => change({ ...draft, type })}
      />
      <OrganizationSelect
        label={t.place}
        description={t.placeHelp}
        value={draft.organization_id}
        change={(organization_id) => change({ ...draft, organization_id })}
      />
    </>
  )
}

type PairsProps = { config: readonly Pair[]; change: (config: Pair[]) => void }

/** What else the executor gets with each notification. */
function Pairs({ config, change }: PairsProps) {
  const { executors: t } = useTexts()
  const set = (at: number, next: Partial<Pair>) =>
    change(config.map((one, i) => (i === at ? { ...one, ...next } : one)))
  const keys = config.map(({ key }) => key)
  const nextRow = Math.max(-1, ...config.map(({ row }) => row)) + 1
  const faultOf = ({ key, value }: Pair, at: number) =>
    key === 'url' || keys.indexOf(key) !== at
      ? t.keyTaken
      : key === '' && value !== '' && t.keyMissing
  return (
    <Stack gap="xs" component="section" aria-label={t.config}>
      <div>
        <Text fw={600}>{t.config}</Text>
        <Text className="muted" size="sm">
          {t.configHelp}
        </Text>
      </div>
      {config.map((pair, at) => (
        <div key={pair.row} className="pair">
          <TextInput
            label={t.key(at + 1)}
            maxLength={255}
            value={pair.key}
            error={faultOf(pair, at)}
            onChange={(event) => set(at, { key: event.currentTarget.value })}
          />
          <TextInput
            label={t.value(at + 1)}
            maxLength={16_384}
            value={pair.value}
            onChange={(event) => set(at, { value: event.currentTarget.value })}
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t.removeKey(at + 1)}
            onClick={() => change(config.filter((_, i) => i !== at))}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      {config.length < MAX_PAIRS && (
        <Group>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => change([...config, { row: nextRow, key: '', value: '' }])}
          >
            {t.addKey}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

function fieldTexts(t: Texts['executors'], organizationName: (id: number) => string) {
  const names: Readonly<Record<string, string>> = {
    ...{ name: t.name, url: t.url, type: t.type, organization_id: t.place, config: t.config },
    ...{ known: t.secret, isSecretDropped: t.dropSecret }
  }
  return {
    nameOf: (field: string) => names[field],
    textOf: (value: unknown, field: string) => {
      if (field === 'known') return value === '' ? t.noSecret : t.hasSecret
      if (field === 'organization_id') return organizationName(Number(value))
      if (field !== 'config' || !Array.isArray(value)) return undefined
      return value.map(({ key, value }: Pair) => `${key}: ${value}`).join('\n')
    }
  }
}
