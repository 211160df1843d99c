import '../tell/tell.css'
import { Button, Chip, Group, Skeleton, Stack, Text, Title } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type Severity, severities } from '../alarm/api.ts'
import { Leaving } from '../frame/Leaving.tsx'
import { Part } from '../frame/Part.tsx'
import { Problem } from '../frame/Problem.tsx'
import { Fault, refusal } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { readDuration } from '../rule/form.ts'
import { settings, store } from '../tell/api.ts'
import { dropDraft, hasDraft, useSettingsDraft } from '../tell/draft.ts'
import { isRight } from '../tell/faults.ts'
import { type FieldsProps, HowFields } from '../tell/HowFields.tsx'
import { NextFields } from '../tell/NextFields.tsx'
import { channels, listed, type Settings } from '../tell/settings.ts'
import { WhenFields } from '../tell/WhenFields.tsx'
import { useTexts } from '../texts/texts.ts'

/** How the caller is told of alarms. */
export function SettingsPage() {
  const { tell: t } = useTexts()
  const { data, error, refetch } = useQuery(settings)
  return (
    <Stack gap="md">
      <div>
        <Title order={1}>{t.title}</Title>
        <Text className="muted">{t.help}</Text>
      </div>
      {data ? (
        <Form saved={data} />
      ) : error ? (
        <Problem error={error} again={() => void refetch()} />
      ) : (
        <Skeleton h={400} maw={720} radius={12} />
      )}
      <Leaving hasDraft={hasDraft} dropDraft={dropDraft} keys={[]} />
    </Stack>
  )
}

function Form({ saved }: { saved: Settings }) {
  const texts = useTexts()
  const t = texts.tell
  const [draft, change] = useSettingsDraft(saved)
  const save = useMutation({
    mutationFn: () => store(bodyOf(draft)),
    onSuccess: (stored) => {
      queryClient.setQueryData(settings.queryKey, stored)
      void queryClient.invalidateQueries({ queryKey: ['alarm recipients'] })
      dropDraft()
    }
  })
  const fields = {
    draft,
    change: (next: Settings) => {
      save.reset()
      change(next)
    }
  }
  return (
    <form
      className="tell"
      onSubmit={(event) => {
        event.preventDefault()
        if (hasDraft() && isRight(draft)) save.mutate()
      }}
    >
      <Summary draft={draft} />
      <Part title={t.which}>
        <WhichFields {...fields} />
      </Part>
      <Part title={t.how}>
        <HowFields {...fields} />
      </Part>
      <Part title={t.when} help={t.zone}>
        <WhenFields {...fields} />
      </Part>
      <Part title={t.unanswered}>
        <NextFields {...fields} />
      </Part>
      {save.error && <Fault text={refusal(save.error, 'user/update', texts)} />}
      <div className={hasDraft() ? 'tell-save' : undefined}>
        <Text role="status" className="muted">
          {!hasDraft() ? save.isSuccess && t.saved : isRight(draft) ? t.unsaved : t.incomplete}
        </Text>
        {hasDraft() && (
          <Group gap="xs">
            <Button variant="default" onClick={dropDraft}>
              {t.discard}
            </Button>
            <Button type="submit" loading={save.isPending} disabled={!isRight(draft)}>
              {t.save}
            </Button>
          </Group>
        )}
      </div>
    </form>
  )
}

/** A duration may be typed as `15 min`. */
const bodyOf = (draft: Settings): Settings => ({
  ...draft,
  escalate: draft.escalate && {
    ...draft.escalate,
    after: readDuration(draft.escalate.after) ?? draft.escalate.after
  }
})

function Summary({ draft }: { draft: Settings }) {
  const { tell: t, alarm } = useTexts()
  const told = severities.filter((one) => draft.severities.includes(one))
  const by = channels.filter((one) => draft.channels.includes(one))
  return (
    <Text fw={600}>
      {told.length === 0 || by.length === 0
        ? t.nothing
        : t.summary(
            listed(
              told.map((one) => alarm.severities[one]),
              t.and
            ),
            listed(
              by.map((one) => t.channels[one]),
              t.and
            )
          )}
    </Text>
  )
}

function WhichFields({ draft, change }: FieldsProps) {
  const { tell: t, alarm } = useTexts()
  return (
    <Chip.Group
      multiple
      value={draft.severities}
      onChange={(next) => change({ ...draft, severities: next as Severity[] })}
    >
      <Group gap="xs" role="group" aria-label={t.which}>
        {severities.map((one) => (
          <Chip key={one} value={one} variant="outline">
            {alarm.severities[one]}
          </Chip>
        ))}
      </Group>
    </Chip.Group>
  )
}
