import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function CataloguePage() {
  const { catalogue: t } = useTexts()
  return <Text>{t.title}</Text>
}
