import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'

export type OrganizationsSearch = { text?: string; id?: number; under?: number }

export function OrganizationsPage() {
  const { organizations: t } = useTexts()
  return <Text>{t.title}</Text>
}
