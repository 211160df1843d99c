import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'

export function Lost() {
  const { error } = useTexts()
  return (
    <Stack align="center" p="xl" role="alert">
      <Text>{error.notFound}</Text>
      <Anchor component={Link} to="/installations">
        {error.toInstallations}
      </Anchor>
    </Stack>
  )
}
