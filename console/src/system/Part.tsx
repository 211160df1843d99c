import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; help?: string; children: ReactNode }

export function Part({ title, help, children }: Props) {
  return (
    <section className="panel" aria-label={title}>
      <div>
        <Title order={2} size="h4">
          {title}
        </Title>
        {help && <Text className="muted">{help}</Text>}
      </div>
      {children}
    </section>
  )
}
