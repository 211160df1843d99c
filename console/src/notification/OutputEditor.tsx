import { Select, Stack, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import {
  createOutput,
  executors,
  messages,
  outputs,
  readOutput,
  removeOutput,
  updateOutput
} from './api.ts'
import { ConfigFields } from './ConfigFields.tsx'
import { outputDrafts } from './drafts.ts'
import type { EditorProps } from './MessageEditor.tsx'
import {
  emptyOutput,
  keyOf,
  keysOf,
  type OutputDraft,
  outputBody,
  outputDraftOf,
  usualKeys
} from './output.ts'
import type { Output } from './types.ts'

type Props = EditorProps & { output: Output | undefined }

/** A message, what it is sent with, and to whom. */
export function OutputEditor({ installation_id, output, may, done }: Props) {
  const { notifications: t } = useTexts()
  const of = `${installation_id}/${output?.id ?? 'new'}`
  const saved = output ? outputDraftOf(output) : emptyOutput
  const [draft, change] = useDraftOf(outputDrafts, of, saved)
  const choices = useChoices(installation_id)
  const usual = usualKeys(choices.typeOf(draft.executor))
  const shown = [...new Set([...usual, ...keysOf(draft)])]
  const body = outputBody(draft, shown)
  const { queryKey } = outputs(installation_id)
  const { fault, busy, run } = useEditing(
    () => queryClient.invalidateQueries({ queryKey }),
    (work) => `notification/output/${work === 'save' && output ? 'update' : 'create_delete'}`
  )
  const show = (now: Output) =>
    queryClient.setQueryData(
      queryKey,
      (list: Output[] | undefined) => list && [...list.filter(({ id }) => id !== now.id), now]
    )
  const save = async (body: NonNullable<ReturnType<typeof outputBody>>) => {
    const stored = output
      ? await saveOnSeen({
          read: () => readOutput(output),
          isKnown: (now) => outputDrafts.isBase(of, outputDraftOf(now)),
          write: (etag) => updateOutput(output, body, etag),
          show
        })
      : await createOutput(installation_id, body)
    show(stored)
    outputDrafts.drop()
    done()
  }
  const remove = async () => {
    if (output) await removeOutput(output)
    outputDrafts.drop()
    done()
  }
  const isLocked = !may.save
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (body) void run('save', () => save(body))
      }}
    >
      <Stack gap="sm" pb="md">
        <TextInput
          label={t.name}
          maxLength={255}
          value={draft.name}
          readOnly={isLocked}
          data-autofocus
          onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
        />
        <Choice
          label={t.message}
          data={withChosen(choices.messages, draft.message)}
          value={draft.message}
          isLocked={isLocked}
          help={choices.messages?.length === 0 ? t.noMessageYet : ''}
          choose={(message) => change({ ...draft, message })}
        />
        <Choice
          label={t.executor}
          data={withChosen(choices.executors, draft.executor)}
          value={draft.executor}
          isLocked={isLocked}
          help={choices.executors?.length === 0 ? t.noExecutor : t.executorHelp}
          choose={(executor) => change({ ...draft, executor })}
        />
        <ConfigFields {...{ draft, change, isLocked, shown, usual }} />
        <Meanwhile
          {...{ of, saved }}
          drafts={outputDrafts}
          nameOf={(field) => nameOf(field, t)}
          textOf={(value, field) => choices.textOf(value, field)}
        />
        {fault && <Fault text={fault} />}
        <EditorActions
          texts={{
            ...{ create: t.createOutput, save: t.save, keep: t.keep },
            ...{ delete: t.deleteOutput, deleteGo: t.deleteGo },
            deleteSure: t.deleteSure(saved.name || t.outputNumber(output?.id ?? 0))
          }}
          isNew={!output}
          busy={busy}
          maySave={may.save}
          canSave={body !== undefined && (!output || outputDrafts.has())}
          remove={output && may.delete ? () => void run('delete', remove) : undefined}
        />
      </Stack>
    </form>
  )
}

type Option = { value: string; label: string }

function useChoices(installation_id: number) {
  const { data: all } = useQuery(executors(installation_id))
  const { data: texts } = useQuery(messages(installation_id))
  const listed = {
    message: texts?.map(({ id, name }): Option => ({ value: String(id), label: name })),
    executor: all?.map(
      ({ id, name, type }): Option => ({ value: String(id), label: `${name} (${type})` })
    )
  }
  return {
    messages: listed.message,
    executors: listed.executor,
    typeOf: (id: string): string => all?.find((one) => String(one.id) === id)?.type ?? '',
    textOf: (value: unknown, field: string): string | undefined => {
      if (field !== 'message' && field !== 'executor') return undefined
      return listed[field]?.find((one) => one.value === value)?.label
    }
  }
}

/** What is chosen stays to see, also if the caller may not list it. */
const withChosen = (options: readonly Option[] = [], chosen: string): Option[] =>
  chosen === '' || options.some(({ value }) => value === chosen)
    ? [...options]
    : [...options, { value: chosen, label: `id ${chosen}` }]

function nameOf(field: string, t: Texts['notifications']): string | undefined {
  const key = keyOf(field)
  if (key !== undefined) return key
  const names: Readonly<Partial<Record<keyof OutputDraft, string>>> = {
    ...{ name: t.name, message: t.message, executor: t.executor }
  }
  return names[field as 'name']
}

type ChoiceProps = {
  label: string
  help: string
  data: Option[]
  value: string
  isLocked: boolean
  choose: (value: string) => void
}

function Choice({ label, help, data, value, isLocked, choose }: ChoiceProps) {
  return (
    <>
      <Select
        {...{ label, data }}
        required
        searchable
        limit={100}
        allowDeselect={false}
        value={value || null}
        readOnly={isLocked}
        comboboxProps={{ zIndex: 400 }}
        onChange={(next) => next !== null && choose(next)}
      />
      {help !== '' && (
        <Text className="muted" size="xs" mt={-8}>
          {help}
        </Text>
      )}
    </>
  )
}
