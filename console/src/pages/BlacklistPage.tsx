import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function BlacklistPage() {
  const { blacklist: t } = useTexts()
  return <Text>{t.title}</Text>
}
