import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function UsersPage() {
  const { users: t } = useTexts()
  return <Text>{t.title}</Text>
}
