import { Stack, Text } from '@mantine/core'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { saveOnSeen } from '../edit/save.ts'
import { EditorActions, useEditing } from '../frame/EditorActions.tsx'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { type Texts, useLocale, useTexts } from '../texts/texts.ts'
import { create, read, remove, runs, schedules, update } from './api.ts'
import { CronFields } from './CronFields.tsx'
import { readCron } from './cron.ts'
import { DayFields } from './DayFields.tsx'
import { drafts, dropDraft, hasDraft } from './draft.ts'
import { bodyOf, draftOf, emptyDraft, type Schedule, type ScheduleBody } from './form.ts'
import { LastRuns } from './LastRuns.tsx'
import { LastValues } from './LastValues.tsx'
import { NextRuns } from './NextRuns.tsx'
import { RunFields, SendFields } from './SendFields.tsx'
import { TimeFields } from './TimeFields.tsx'
import { capital, wordsOf } from './words.ts'

type Props = {
  id: number
  /** Undefined: a new one. */
  schedule: Schedule | undefined
  /** How it is called in the list. */
  name: string
  zone: string | undefined
  may: { save: boolean; delete: boolean }
  close: () => void
}

/** What is sent and when, in words and as fields; beside it the runs that come and that were. */
export function Editor({ id, schedule, name, zone, may, close }: Props) {
  const texts = useTexts()
  const { schedules: t } = texts
  const locale = useLocale()
  const of = `${id}/${schedule?.id ?? 'new'}`
  const saved = schedule ? draftOf(schedule) : emptyDraft
  const [draft, change] = useDraftOf(drafts, of, saved)
  const body = bodyOf(draft)
  const cron = readCron(draft)
  const { queryKey } = schedules(id)
  const { fault, busy, run } = useEditing(
    async () => {
      await queryClient.invalidateQueries({ queryKey })
      if (schedule) void queryClient.invalidateQueries(runs(schedule))
    },
    (work) => `schedule/${work === 'save' && schedule ? 'update' : 'create_delete'}`
  )
  const show = (now: Schedule) =>
    queryClient.setQueryData(queryKey, (list: Schedule[] | undefined) =>
      list?.map((one) => (one.id === now.id ? now : one))
    )
  const save = async (body: ScheduleBody) => {
    if (schedule) {
      show(
        await saveOnSeen({
          read: () => read(schedule),
          isKnown: (now) => drafts.isBase(of, draftOf(now)),
          write: (etag) => update(schedule, body, etag),
          show
        })
      )
    } else await create(id, body)
    dropDraft()
    close()
  }
  const fields = { id, draft, change, isLocked: !may.save }
  return (
    <form
      className="schedule-editor"
      onSubmit={(event) => {
        event.preventDefault()
        if (body && may.save) void run('save', () => save(body))
      }}
    >
      <Stack gap="md">
        <SendFields {...fields} />
        <fieldset className="schedule-part">
          <legend>{t.when}</legend>
          <Text className="schedule-words" role="status">
            {cron ? capital(wordsOf(cron, t.says, locale), locale) : t.fieldsWrong}
          </Text>
          {may.save && (
            <>
              <TimeFields {...fields} />
              <DayFields {...fields} />
            </>
          )}
          <CronFields {...fields} />
        </fieldset>
        <RunFields {...fields} />
        <Meanwhile {...{ drafts, of, saved }} {...fieldTexts(texts)} />
        {fault && <Fault text={fault} />}
        <EditorActions
          texts={{ ...t, deleteSure: t.deleteSure(name) }}
          isNew={!schedule}
          busy={busy}
          maySave={may.save}
          canSave={body !== undefined && (!schedule || hasDraft())}
          remove={
            schedule && may.delete
              ? () =>
                  void run('delete', async () => {
                    await remove(schedule)
                    dropDraft()
                    close()
                  })
              : undefined
          }
        />
      </Stack>
      <Stack gap="lg">
        <NextRuns cron={cron} zone={zone} isActive={draft.active} />
        {schedule && (
          <>
            <LastRuns schedule={schedule} zone={zone} />
            <LastValues schedule={schedule} zone={zone} />
          </>
        )}
      </Stack>
    </form>
  )
}

/** How the fields are called when somebody else changed them. */
function fieldTexts({ schedules: t }: Texts) {
  const names: Readonly<Partial<Record<string, string>>> = {
    ...{ active: t.active, topic: t.topic, value: t.value, executor: t.who },
    ...t.fields
  }
  return {
    nameOf: (field: string) => names[field],
    textOf: (value: unknown, field: string) =>
      field === 'executor' && (value === 'gateway' || value === 'server')
        ? t.whos[value]
        : undefined
  }
}
