import { Text } from '@mantine/core'
import { useNow } from '../clock.ts'
import { useTexts } from '../texts/texts.ts'
import type { Certificate } from './api.ts'

const colors: Readonly<Record<Certificate['status'], string>> = {
  valid: 'var(--good)',
  expiring: 'var(--warning)',
  expired: 'var(--bad)',
  revoked: 'var(--muted)',
  pending: 'var(--muted)'
}
const DAY_MS = 24 * 3600 * 1000

/** A word and a colour, and how long it lasts if that is not long. */
export function State({ certificate: { status, not_after } }: { certificate: Certificate }) {
  const { certificate: t } = useTexts()
  const now = useNow()
  const left = Math.max(0, Math.floor((not_after * 1000 - now) / DAY_MS))
  return (
    <Text c={colors[status]} fw={600} size="sm">
      {t.states[status]}
      {status === 'expiring' && `, ${t.left(left)}`}
    </Text>
  )
}
