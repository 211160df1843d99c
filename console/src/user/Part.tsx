import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; help?: string; children: ReactNode }

/** A part of what a side panel shows. */
export function Part({ title, help, children }: Props) {
  return (
    <section className="user-part" aria-label={title}>
      <div>
        <Title order={3} size="h4">
          {title}
        </Title>
        {help && <Text className="muted">{help}</Text>}
      </div>
      {children}
    </section>
  )
}
