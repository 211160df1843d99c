import { Checkbox, PasswordInput } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import { type Draft, isSecret } from './draft.ts'

type Props = { draft: Draft; change: (draft: Draft) => void }

/** The secret can be set and removed, and is never shown again. */
export function Secret({ draft, change }: Props) {
  const { executors: t } = useTexts()
  const hasSecret = draft.known !== ''
  return (
    <>
      <PasswordInput
        label={t.secret}
        description={hasSecret ? t.secretStays : t.secretHelp}
        placeholder={hasSecret ? t.hasSecret : undefined}
        autoComplete="new-password"
        maxLength={1000}
        disabled={draft.isSecretDropped}
        value={draft.secret}
        error={isSecret(draft.secret) ? undefined : t.secretWrong}
        visibilityToggleButtonProps={{ 'aria-label': t.showTyped }}
        onChange={(event) => change({ ...draft, secret: event.currentTarget.value })}
      />
      {hasSecret && (
        <Checkbox
          label={t.dropSecret}
          checked={draft.isSecretDropped}
          onChange={(event) =>
            change({ ...draft, secret: '', isSecretDropped: event.currentTarget.checked })
          }
        />
      )}
    </>
  )
}
