import { Alert, Autocomplete, Button, Group, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { keepFocus } from '../frame/focus.ts'
import { whatIsNeeded } from '../frame/refused.ts'
import { devices, functions } from '../queries.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import { type Model, type Place, words } from './api.ts'
import { DeleteQuestion } from './DeleteQuestion.tsx'
import {
  countOf,
  type Draft,
  dropDraft,
  fieldsOf,
  isTooLong,
  isType,
  keyFault,
  useDraft,
  withType
} from './draft.ts'
import { MetaEditor } from './MetaEditor.tsx'
import { useMay, useMayProtect } from './may.ts'
import { nameOf } from './rows.ts'
import { type Outcome, save } from './save.ts'
import { TopicValue } from './TopicValue.tsx'

type Props = { place: Place; model: Model; types: string[]; close: () => void }

/** One function or device: what it is, what it says, and its metadata. */
export function Details({ place, model, types, close }: Props) {
  const texts = useTexts()
  const t = texts.functions
  const of = `${place.installation_id}/${place.kind}/${model.id}`
  const [draft, change] = useDraft(of)
  const mayEdit = useMay(place, 'edit', model.type)
  const mayDelete = useMay(place, 'delete', model.type)
  const mayProtect = useMayProtect(place)
  const { outcome, isBusy, submit } = useSaving(place, model, of)
  const [isAsking, setAsking] = useState(false)
  const focusBack = useRef(() => {})
  const moment = useMoment(place.installation_id)
  const type = draft.type?.to ?? model.type
  const faults = new Map<string, string>()
  if (outcome?.state === 'refused') {
    faults.set(outcome.at, refusal(outcome.error, needed(place, outcome.at, type), texts))
  }
  const typeFault = isType(type) ? faults.get('type') : t.typeWrong
  const { topic_read = '' } = model.meta
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (countOf(draft) > 0 && isReady(model, draft)) void submit()
      }}
    >
      <Stack gap="lg" pb="md">
        <Stack gap="sm">
          {mayEdit ? (
            <Autocomplete
              label={t.type}
              data={types}
              value={type}
              error={typeFault}
              comboboxProps={{ zIndex: 400 }}
              onChange={(to) =>
                change((before) => withType(before, before.type?.from ?? model.type, to))
              }
            />
          ) : (
            <Text>
              <Text span className="muted">
                {t.type}
              </Text>{' '}
              {model.type}
            </Text>
          )}
          <Links place={place} model={model} />
          {place.kind === 'functions' && topic_read !== '' && (
            <TopicValue id={place.installation_id} topic={topic_read} meta={model.meta} />
          )}
        </Stack>
        <MetaEditor {...{ model, draft, change, mayEdit, mayProtect, faults }} />
        <Text size="xs" className="muted">
          {t.stamps(String(model.id), moment(model.created), moment(model.updated))}
        </Text>
        {mayDelete && (
          <Button
            variant="subtle"
            c="var(--bad)"
            color="red"
            size="xs"
            style={{ alignSelf: 'flex-start' }}
            leftSection={<IconTrash size={14} aria-hidden />}
            onClick={() => {
              focusBack.current = keepFocus()
              setAsking(true)
            }}
          >
            {t.delete[place.kind]}
          </Button>
        )}
      </Stack>
      <SaveBar {...{ draft, outcome, isBusy }} isReady={isReady(model, draft)} />
      <DeleteQuestion
        place={place}
        model={model}
        isOpen={isAsking}
        stay={() => {
          setAsking(false)
          focusBack.current()
        }}
        deleted={() => {
          dropDraft()
          close()
        }}
      />
    </form>
  )
}

/** Who may edit is refused only for a type, or for a key that is protected. */
const needed = ({ kind }: Place, at: string, type: string): string =>
  at === 'type'
    ? `${words[kind].byType}/${type}/edit`
    : `${words[kind].resource}/edit/protected_meta`

function isReady(model: Model, { type, edits, added }: Draft): boolean {
  const keys = [...fieldsOf(model).keys(), ...edits.keys()]
  const isTaken = (row: number) => (key: string) =>
    keys.includes(key) || added.some((one) => one.row !== row && one.key === key)
  return (
    (!type || isType(type.to)) &&
    [...edits.values()].every(({ to }) => !to || !isTooLong(to.value)) &&
    added.every(({ row, key, value }) => !keyFault(key, isTaken(row)) && !isTooLong(value))
  )
}

function useSaving(place: Place, model: Model, of: string) {
  const [outcome, setOutcome] = useState<Outcome>()
  const [isBusy, setBusy] = useState(false)
  const submit = async () => {
    setBusy(true)
    setOutcome(undefined)
    const failed = (error: Error): Outcome => ({ state: 'refused', at: '', error })
    setOutcome(await save(place, model.id, of).catch(failed))
    setBusy(false)
  }
  return { outcome, isBusy, submit }
}

/** What a refused request says to people. */
export function refusal(error: Error, permission: string, texts: Texts): string {
  const { error: t } = texts
  if (!(error instanceof CaracalError)) return t.offline
  if (error.status !== 403) return error.message
  const what = whatIsNeeded(error, texts)
  if (what !== undefined) return what
  // Who has the permission is refused for another reason, which the message says.
  return error.message === 'Forbidden' ? t.needs(permission) : error.message
}

type BarProps = {
  draft: Draft
  outcome: Outcome | undefined
  isBusy: boolean
  isReady: boolean
}

/** Stays at the bottom while there is something to save, or something to say about it. */
function SaveBar({ draft, outcome, isBusy, isReady }: BarProps) {
  const texts = useTexts()
  const t = texts.functions
  const count = countOf(draft)
  if (count === 0) {
    return (
      <Text role="status" className="muted" size="xs">
        {outcome?.state === 'saved' && t.saved}
      </Text>
    )
  }
  const { state } = outcome ?? {}
  return (
    <Stack className="savebar" gap="xs">
      {state === 'conflict' && <Fault text={t.conflicts} />}
      {state === 'gone' && <Fault text={t.gone} />}
      {outcome?.state === 'refused' && (
        <Fault text={outcome.at === '' ? refusal(outcome.error, '', texts) : t.partly(count)} />
      )}
      <Group justify="space-between">
        <Text className="muted">{t.changes(count)}</Text>
        <Group gap="xs">
          <Button variant="default" onClick={dropDraft}>
            {t.discard}
          </Button>
          <Button type="submit" loading={isBusy} disabled={!isReady}>
            {t.save}
          </Button>
        </Group>
      </Group>
    </Stack>
  )
}

export function Fault({ text }: { text: string }) {
  return <Alert color="red" variant="light" role="alert" title={text} />
}

/** A function leads to its device, and a device to its functions. */
function Links({ place: { kind, installation_id: id }, model }: Omit<Props, 'types' | 'close'>) {
  const { functions: t } = useTexts()
  const known = useQuery(kind === 'functions' ? devices(id) : functions(id)).data ?? []
  const { device_id } = model.meta
  const found =
    kind === 'functions'
      ? known.filter((one) => String(one.id) === device_id)
      : known.filter((one) => one.meta.device_id === String(model.id))
  const view = kind === 'functions' ? 'devices' : undefined
  if (kind === 'functions' && !device_id) return null
  return (
    <Group gap="4px 12px">
      <Text className="muted">{kind === 'functions' ? t.device : t.itsFunctions}</Text>
      {found.length === 0 && (
        <Text>{kind === 'functions' ? t.unknownDevice(device_id ?? '') : t.noFunctions}</Text>
      )}
      {found.map((one) => (
        <Link
          key={one.id}
          className="link"
          to="/installations/$id/functions"
          params={{ id }}
          search={{ view, id: one.id }}
        >
          {nameOf(one)}
        </Link>
      ))}
    </Group>
  )
}
