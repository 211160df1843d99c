import { Stack, Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; help?: string; children?: ReactNode }

/** A part of the page. */
export function Part({ title, help, children }: Props) {
  return (
    <Stack className="panel gateway-part" component="section" aria-label={title} p="lg" gap="sm">
      <Title order={2} size="h4">
        {title}
      </Title>
      {help && <Text className="muted">{help}</Text>}
      {children}
    </Stack>
  )
}
