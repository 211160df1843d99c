import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function RolesPage() {
  const { roles: t } = useTexts()
  return <Text>{t.title}</Text>
}
