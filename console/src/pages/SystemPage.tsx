import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function SystemPage() {
  const { system: t } = useTexts()
  return <Text>{t.title}</Text>
}
