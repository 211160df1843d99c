import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function GatewayPage() {
  const { gatewayPage: t } = useTexts()
  return <Text>{t.title}</Text>
}
