import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function TracePage() {
  const { trace: t } = useTexts()
  return <Text>{t.title}</Text>
}
