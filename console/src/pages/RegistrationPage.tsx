import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export function RegistrationPage() {
  const { registration: t } = useTexts()
  return <Text>{t.title}</Text>
}
