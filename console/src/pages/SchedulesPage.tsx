import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function SchedulesPage() {
  const { schedules: t } = useTexts()
  return <Text>{t.title}</Text>
}
