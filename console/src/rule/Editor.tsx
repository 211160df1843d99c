import { Group, SegmentedControl, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { alarmsKey, severities } from '../alarm/api.ts'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import type { Owner } from '../frame/owner.ts'
import { Fault } from '../modelx/Details.tsx'
import { readNumber } from '../numbers.ts'
import { useAllRows } from '../plot/use-rows.ts'
import { queryClient } from '../queries.ts'
import { ReachOfRule } from '../tell/Reach.tsx'
import { useLocale, useTexts } from '../texts/texts.ts'
import { create, read, remove, rulesOf, update } from './api.ts'
import { drafts, dropDraft, hasDraft } from './draft.ts'
import { fieldTexts } from './field-texts.ts'
import { bodyOf, type Draft, draftOf, emptyDraft, readDuration } from './form.ts'
import { HoursFields } from './HoursFields.tsx'
import { OnFields } from './OnFields.tsx'
import { TryPanel } from './TryPanel.tsx'
import type { AnyRule, RuleFields } from './types.ts'
import { WhenFields } from './WhenFields.tsx'

type Props = {
  /** Whose values the rule is tried on. */
  installation_id: number
  owner: Owner
  /** Undefined: a new one, on these topics. */
  rule: AnyRule | undefined
  topics: readonly string[]
  may: { save: boolean; delete: boolean }
  saved: () => void
  deleted: () => void
}

/** A rule in words, and beside it what it would have found. */
export function Editor({
  installation_id: id,
  owner,
  rule,
  topics,
  may,
  saved: onSaved,
  deleted
}: Props) {
  const texts = useTexts()
  const { rule: t } = texts
  const locale = useLocale()
  const of = `${owner.kind} ${owner.id}/${rule?.id ?? 'new'}`
  const saved = rule ? draftOf(rule) : { ...emptyDraft, topics }
  const [draft, change] = useDraftOf(drafts, of, saved)
  const { all } = useAllRows(id)
  const body = bodyOf(draft)
  const { fault, busy, run } = useEditing(
    async () => {
      await queryClient.invalidateQueries({ queryKey: rulesOf(owner).queryKey })
      // Its open alarms may be cleared.
      void queryClient.invalidateQueries({ queryKey: alarmsKey })
    },
    (work) => `rule/${work === 'save' && rule ? 'update' : 'create_delete'}`
  )
  const show = (now: AnyRule) =>
    queryClient.setQueryData(
      rulesOf(owner).queryKey,
      (list: AnyRule[] | undefined) => list && [...list.filter(({ id }) => id !== now.id), now]
    )
  const save = async (body: RuleFields) => {
    const made = rule
      ? await saveOnSeen({
          read: () => read(owner, rule.id),
          isKnown: (now) => drafts.isBase(of, draftOf(now)),
          write: (etag) => update(owner, rule.id, { body, etag }),
          show
        })
      : await create(owner, body)
    show(made)
    dropDraft()
    onSaved()
  }
  const fields = { draft, change, rows: all, isLocked: !may.save }
  return (
    <form
      className="rule-editor"
      onSubmit={(event) => {
        event.preventDefault()
        if (body) void run('save', () => save(body))
      }}
    >
      <Stack gap="sm">
        <OnFields {...fields} />
        <WhenFields {...fields} />
        <Lasting {...fields} />
        <HoursFields {...fields} />
        <Telling {...fields} />
        {draft.active && <ReachOfRule id={id} severity={draft.severity} />}
        <Meanwhile {...{ drafts, of, saved }} {...fieldTexts(texts, locale)} />
        {fault && <Fault text={fault} />}
        <EditorActions
          texts={t}
          isNew={!rule}
          busy={busy}
          maySave={may.save}
          canSave={body !== undefined && (!rule || hasDraft())}
          remove={
            rule && may.delete
              ? () =>
                  void run('delete', async () => {
                    await remove(owner, rule.id)
                    dropDraft()
                    deleted()
                  })
              : undefined
          }
        />
      </Stack>
      <TryPanel
        id={id}
        all={all}
        draft={draft}
        body={body}
        change={may.save ? change : undefined}
      />
    </form>
  )
}

type FieldsProps = { draft: Draft; change: (draft: Draft) => void; isLocked: boolean }

function Lasting({ draft, change, isLocked }: FieldsProps) {
  const { rule: t } = useTexts()
  const isLasting = draft.for.trim() === '' || readDuration(draft.for) !== undefined
  return (
    <Group gap="xs" align="flex-start" grow>
      <TextInput
        label={t.for}
        description={t.forHelp}
        value={draft.for}
        readOnly={isLocked}
        error={isLasting ? undefined : t.durationWrong}
        onChange={(event) => change({ ...draft, for: event.currentTarget.value })}
      />
      <TextInput
        label={t.hysteresis}
        description={t.hysteresisHelp}
        value={draft.hysteresis}
        readOnly={isLocked}
        error={readNumber(draft.hysteresis, 0) === undefined ? t.boundWrong : undefined}
        onChange={(event) => change({ ...draft, hysteresis: event.currentTarget.value })}
      />
    </Group>
  )
}

function Telling({ draft, change, isLocked }: FieldsProps) {
  const { rule: t, alarm } = useTexts()
  return (
    <>
      <div>
        <Text fw={600} size="sm" mb={4}>
          {t.severity}
        </Text>
        <SegmentedControl
          aria-label={t.severity}
          value={draft.severity}
          disabled={isLocked}
          onChange={(next) => change({ ...draft, severity: next as Draft['severity'] })}
          data={severities.toReversed().map((one) => ({
            value: one,
            label: alarm.severities[one]
          }))}
        />
      </div>
      <Textarea
        label={t.message}
        description={t.messageHelp}
        autosize
        maxRows={6}
        maxLength={4096}
        value={draft.message}
        readOnly={isLocked}
        onChange={(event) => change({ ...draft, message: event.currentTarget.value })}
      />
      <TextInput
        label={t.name}
        maxLength={255}
        value={draft.name}
        readOnly={isLocked}
        onChange={(event) => change({ ...draft, name: event.currentTarget.value })}
      />
      <Switch
        label={t.active}
        checked={draft.active}
        disabled={isLocked}
        onChange={(event) => change({ ...draft, active: event.currentTarget.checked })}
      />
    </>
  )
}
