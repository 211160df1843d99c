import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function NotificationsPage() {
  const { notifications: t } = useTexts()
  return <Text>{t.title}</Text>
}
