import { IconAlertOctagon, IconAlertTriangle, IconInfoCircle } from '@tabler/icons-react'
import { useTexts } from '../texts/texts.ts'
import type { Severity as Name } from './api.ts'

export const severityColors = {
  critical: 'var(--bad)',
  warning: 'var(--warning)',
  info: 'var(--muted)'
} as const

const icons = {
  critical: IconAlertOctagon,
  warning: IconAlertTriangle,
  info: IconInfoCircle
} as const

/** How bad it is: a form, a word and a colour. */
export function Severity({ severity }: { severity: Name }) {
  const { alarm: t } = useTexts()
  const Icon = icons[severity]
  return (
    <span className="severity" style={{ color: severityColors[severity] }}>
      <Icon size={18} aria-hidden />
      {t.severities[severity]}
    </span>
  )
}
