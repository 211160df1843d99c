import { Text, TextInput } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import { cronFields, readField } from './cron.ts'
import type { Draft } from './form.ts'

/** As the API takes them. */
const MAX_FIELD = 200

type Props = { draft: Draft; change: (draft: Draft) => void; isLocked: boolean }

/** The fields as they are stored, to read and to type. */
export function CronFields({ draft, change, isLocked }: Props) {
  const { schedules: t } = useTexts()
  return (
    <fieldset className="schedule-part">
      <legend>{t.behind}</legend>
      <Text className="muted">{t.behindHelp}</Text>
      <div className="cron-fields">
        {cronFields.map((field) => (
          <TextInput
            key={field}
            size="xs"
            label={t.fields[field]}
            description={t.fieldHelp[field]}
            inputWrapperOrder={['label', 'input', 'description', 'error']}
            value={draft[field]}
            readOnly={isLocked}
            maxLength={MAX_FIELD}
            error={readField(field, draft[field]) ? undefined : t.fieldWrong}
            onChange={(event) => change({ ...draft, [field]: event.currentTarget.value })}
          />
        ))}
      </div>
    </fieldset>
  )
}
