import { Button, Stack, Text } from '@mantine/core'
import { CaracalError } from '../../../tools/client/client.ts'
import { useTexts } from '../texts/texts.ts'
import { withoutScope } from './scope.ts'

type Props = { error: Error; again: () => void }

/** Says what went wrong and what can be done. */
export function Problem({ error, again }: Props) {
  const texts = useTexts().error
  const isForbidden = error instanceof CaracalError && error.status === 403
  const isOffline = !(error instanceof CaracalError)
  const [needed] = isForbidden ? error.permissions : []
  const refusal = needed === undefined ? texts.forbidden : texts.needs(withoutScope(needed))
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
