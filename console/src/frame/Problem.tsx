import { Button, Stack, Text } from '@mantine/core'
import { CaracalError } from '../../../tools/client/client.ts'
import { useTexts } from '../texts/texts.ts'

/** `needs` is the permission that the caller does not have, if the platform refuses. */
type Props = { error: Error; again: () => void; needs?: string }

/** Says what went wrong and what can be done. */
export function Problem({ error, again, needs }: Props) {
  const texts = useTexts().error
  const isForbidden = error instanceof CaracalError && error.status === 403
  const isOffline = !(error instanceof CaracalError)
  const refusal = needs === undefined ? texts.forbidden : texts.needs(needs)
  return (
    <Stack className="panel" p="lg" align="flex-start" role="alert">
      <Text fw={600}>{texts.title}</Text>
      <Text>{isForbidden ? refusal : isOffline ? texts.offline : error.message}</Text>
      {!isForbidden && (
        <Button variant="light" onClick={again}>
          {texts.again}
        </Button>
      )}
    </Stack>
  )
}
