import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function AppsPage() {
  const { apps: t } = useTexts()
  return <Text>{t.title}</Text>
}
