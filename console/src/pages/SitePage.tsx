import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function SitePage() {
  const { site: t } = useTexts()
  return <Text>{t.title}</Text>
}
