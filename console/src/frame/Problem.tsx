import { Button, Stack, Text } from '@mantine/core'
import { CaracalError } from '../../../tools/client/client.ts'
import { useTexts } from '../texts/texts.ts'
import { whatIsNeeded } from './refused.ts'

type Props = { error: Error; again: () => void }

/** Says what went wrong and what can be done. */
export function Problem({ error, again }: Props) {
  const texts = useTexts()
  const { error: t } = texts
  const isForbidden = error instanceof CaracalError && error.status === 403
  const isOffline = !(error instanceof CaracalError)
  const refusal = isForbidden && (whatIsNeeded(error, texts) ?? t.forbidden)
  return (
    <Stack className="panel" p="lg" align="flex-start" role="alert">
      <Text fw={600}>{t.title}</Text>
      <Text>{refusal || (isOffline ? t.offline : error.message)}</Text>
      {!isForbidden && (
        <Button variant="light" onClick={again}>
          {t.again}
        </Button>
      )}
    </Stack>
  )
}
