import { Group, Switch, TextInput } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import { digestFault, quietFault } from './faults.ts'
import type { FieldsProps } from './HowFields.tsx'

const NIGHT = { from: '22:00', to: '07:00' }
const MORNING = '08:00'

/** When messages are held, and when they come then. */
export function WhenFields({ draft, change }: FieldsProps) {
  const { tell: t } = useTexts()
  const { quiet, digest } = draft
  return (
    <>
      <Switch
        label={t.quiet}
        checked={quiet !== null}
        onChange={({ currentTarget: { checked } }) =>
          change({ ...draft, quiet: checked ? NIGHT : null })
        }
      />
      {quiet && (
        <Group gap="xs" align="flex-start" className="tell-more" style={{ display: 'flex' }}>
          {(['from', 'to'] as const).map((field) => (
            <TextInput
              key={field}
              type="time"
              required
              withAsterisk={false}
              label={t[field]}
              value={quiet[field]}
              error={field === 'to' && quietFault(draft) ? t.sameTimes : undefined}
              onChange={(event) =>
                change({ ...draft, quiet: { ...quiet, [field]: event.currentTarget.value } })
              }
            />
          ))}
        </Group>
      )}
      <Switch
        label={quiet ? t.digestQuiet : t.digest}
        checked={digest !== ''}
        onChange={({ currentTarget: { checked } }) =>
          change({ ...draft, digest: checked ? MORNING : '' })
        }
      />
      {digest !== '' && (
        <div className="tell-more">
          <TextInput
            w={140}
            type="time"
            required
            withAsterisk={false}
            label={t.digestAt}
            value={digest}
            error={digestFault(draft) ? t.digestInQuiet : undefined}
            // An empty field would be another choice.
            onChange={({ currentTarget: { value } }) =>
              value && change({ ...draft, digest: value })
            }
          />
        </div>
      )}
    </>
  )
}
