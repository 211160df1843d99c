import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function FilesPage() {
  const { files: t } = useTexts()
  return <Text>{t.title}</Text>
}
