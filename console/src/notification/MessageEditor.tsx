import { Button, Group, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import {
  createMessage,
  messages,
  outputs,
  readMessage,
  removeMessage,
  updateMessage
} from './api.ts'
import { messageDrafts } from './drafts.ts'
import {
  emptyMessage,
  inserted,
  known,
  type MessageDraft,
  messageDraftOf,
  withPart
} from './message.ts'
import { Preview } from './Preview.tsx'
import type { Message } from './types.ts'

export type EditorProps = {
  installation_id: number
  may: { save: boolean; delete: boolean }
  done: () => void
}

/** The template of a message. */
export function MessageEditor({
  installation_id,
  message,
  may,
  done
}: EditorProps & { message: Message | undefined }) {
  const { notifications: t } = useTexts()
  const of = `${installation_id}/${message?.id ?? 'new'}`
  const saved = message ? messageDraftOf(message) : emptyMessage
  const [draft, change] = useDraftOf(messageDrafts, of, saved)
  const { queryKey } = messages(installation_id)
  const { fault, busy, run } = useEditing(
    () => queryClient.invalidateQueries({ queryKey }),
    (work) => `notification/message/${work === 'save' && message ? 'update' : 'create_delete'}`
  )
  const users = useUsers(installation_id, message)
  const show = (now: Message) =>
    queryClient.setQueryData(
      queryKey,
      (list: Message[] | undefined) => list && [...list.filter(({ id }) => id !== now.id), now]
    )
  const body = { ...draft, name: draft.name.trim() }
  const save = async () => {
    const stored = message
      ? await saveOnSeen({
          read: () => readMessage(message),
          isKnown: (now) => messageDrafts.isBase(of, messageDraftOf(now)),
          write: (etag) => updateMessage(message, body, etag),
          show
        })
      : await createMessage(installation_id, body)
    show(stored)
    messageDrafts.drop()
    done()
  }
  const remove = async () => {
    if (message) await removeMessage(message)
    messageDrafts.drop()
    done()
  }
  const names: Readonly<Record<string, string>> = { name: t.name, text: t.text }
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (body.name !== '') void run('save', save)
        }}
      >
        <Stack gap="sm" pb="md">
          <TextInput
            label={t.name}
            required
            maxLength={255}
            value={draft.name}
            readOnly={!may.save}
            data-autofocus
            onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
          />
          <Template draft={draft} change={change} isLocked={!may.save} />
          <Meanwhile {...{ of, saved }} drafts={messageDrafts} nameOf={(field) => names[field]} />
          {fault && <Fault text={fault} />}
          {message && users.length > 0 && may.delete && (
            <Text className="muted">{t.usedBy(users.join(', '))}</Text>
          )}
          <EditorActions
            texts={{
              ...{ create: t.createMessage, save: t.save, keep: t.keep },
              ...{ delete: t.deleteMessage, deleteGo: t.deleteGo },
              deleteSure: t.deleteSure(saved.name)
            }}
            isNew={!message}
            busy={busy}
            maySave={may.save}
            canSave={body.name !== '' && (!message || messageDrafts.has())}
            remove={
              message && may.delete && users.length === 0
                ? () => void run('delete', remove)
                : undefined
            }
          />
        </Stack>
      </form>
      {may.save && <Preview {...{ installation_id }} text={draft.text} />}
    </>
  )
}

/** The names of the outputs that send the message. */
function useUsers(installation_id: number, message: Message | undefined): string[] {
  const { notifications: t } = useTexts()
  const { data = [] } = useQuery({ ...outputs(installation_id), enabled: message !== undefined })
  return data
    .filter((one) => one.notification_message_id === message?.id)
    .map(({ id, name }) => name || t.outputNumber(id))
}

type TemplateProps = {
  draft: MessageDraft
  change: (draft: MessageDraft) => void
  isLocked: boolean
}

function Template({ draft, change, isLocked }: TemplateProps) {
  const { notifications: t } = useTexts()
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = (name: string) => {
    const { selectionStart = draft.text.length, selectionEnd = draft.text.length } =
      area.current ?? {}
    change({
      ...draft,
      text: withPart(draft.text, inserted(name), [selectionStart, selectionEnd])
    })
    area.current?.focus()
  }
  return (
    <>
      <Textarea
        ref={area}
        label={t.text}
        description={t.textHelp}
        placeholder="{{.installation.Name}}: {{.payload.value}} °C"
        classNames={{ input: 'template' }}
        autosize
        minRows={5}
        maxRows={18}
        maxLength={32_768}
        value={draft.text}
        readOnly={isLocked}
        onChange={(event) => change({ ...draft, text: event.currentTarget.value })}
      />
      {!isLocked && (
        <Group gap={6} role="group" aria-label={t.insert}>
          <Text className="muted" size="xs">
            {t.insert}
          </Text>
          {['payload.value', ...known].map((name) => (
            <Button
              key={name}
              variant="default"
              size="compact-xs"
              onClick={() => insert(name)}
              aria-label={`${t.insert} ${name}`}
            >
              {name}
            </Button>
          ))}
        </Group>
      )}
      <Text className="muted" size="xs">
        {t.templateHelp}
      </Text>
    </>
  )
}
