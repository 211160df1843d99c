import { Group, Stack, Title } from '@mantine/core'

type Props = { number: number; title: string; isOpen: boolean; children: React.ReactNode }

/** A step of the wizard. One that is not reached yet shows only its title. */
export function Step({ number, title, isOpen, children }: Props) {
  return (
    <Stack className="panel" component="section" aria-label={title} p="lg" gap="md">
      <Group gap="sm" wrap="nowrap">
        <span className="step" aria-hidden>
          {number}
        </span>
        <Title order={2} size="h4" className={isOpen ? undefined : 'muted'}>
          {title}
        </Title>
      </Group>
      {isOpen && children}
    </Stack>
  )
}
