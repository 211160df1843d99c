import { Select, Switch, Text, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { me } from '../queries.ts'
import { readDuration } from '../rule/form.ts'
import { useTexts } from '../texts/texts.ts'
import { users } from './api.ts'
import type { FieldsProps } from './HowFields.tsx'

const SOON = '15m'
/** More would make the list slow; who wants another one types a part of the name. */
const MAX_OPTIONS = 50

/** Who is told when nobody acknowledges. */
export function NextFields({ draft, change }: FieldsProps) {
  const { tell: t, alarm } = useTexts()
  const { escalate } = draft
  const own = useQuery(me).data?.id
  const { data } = useQuery({ ...users, enabled: escalate !== null })
  const others = data?.filter(({ id }) => id !== own) ?? []
  const choices = others.map(({ id, first_name, last_name, email }) => {
    const name = [first_name, last_name].filter(Boolean).join(' ')
    return { value: String(id), label: name ? `${name} (${email})` : email }
  })
  const chosen = escalate?.user_id ?? 0
  // Whom the caller does not see any more stays until another one is chosen.
  const isHidden = data && chosen > 0 && !others.some(({ id }) => id === chosen)
  if (isHidden) choices.push({ value: String(chosen), label: alarm.user(chosen) })
  return (
    <>
      <Switch
        label={t.escalate}
        checked={escalate !== null}
        onChange={({ currentTarget: { checked } }) =>
          change({ ...draft, escalate: checked ? { after: SOON, user_id: 0 } : null })
        }
      />
      {escalate && data && choices.length === 0 && <Text role="alert">{t.nobodyElse}</Text>}
      {escalate && choices.length > 0 && (
        <div className="tell-more">
          <Select
            label={t.who}
            description={t.whoHelp}
            searchable
            limit={MAX_OPTIONS}
            data={choices}
            value={chosen > 0 ? String(chosen) : null}
            onChange={(id) => change({ ...draft, escalate: { ...escalate, user_id: Number(id) } })}
          />
          <TextInput
            label={t.after}
            description={t.afterHelp}
            maw={200}
            value={escalate.after}
            error={readDuration(escalate.after) === undefined ? t.afterWrong : undefined}
            onChange={(event) =>
              change({ ...draft, escalate: { ...escalate, after: event.currentTarget.value } })
            }
          />
        </div>
      )}
    </>
  )
}
