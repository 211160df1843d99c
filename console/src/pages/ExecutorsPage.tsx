import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function ExecutorsPage() {
  const { executors: t } = useTexts()
  return <Text>{t.title}</Text>
}
