import { Text, Title } from '@mantine/core'
import type { ReactNode } from 'react'

type Props = { title: string; help?: string; isInside?: boolean; children?: ReactNode }

/** A part of a page, or of a side panel (`isInside`), with its name. */
export function Part({ title, help, isInside = false, children }: Props) {
  return (
    <section className={isInside ? 'part inside' : 'panel part'} aria-label={title}>
      <div>
        <Title order={isInside ? 3 : 2} size="h4">
          {title}
        </Title>
        {help && <Text className="muted">{help}</Text>}
      </div>
      {children}
    </section>
  )
}
