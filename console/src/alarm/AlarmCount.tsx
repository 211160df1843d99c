import './alarm.css'
import { IconBell } from '@tabler/icons-react'
import { useTexts } from '../texts/texts.ts'
import type { Count } from './glance.ts'
import { severityColors } from './Severity.tsx'

/** How many alarms are not acknowledged. `isShort`: beside a word that says what they are. */
export function AlarmCount({
  count,
  isFull,
  worst,
  isShort = false
}: Count & { isShort?: boolean }) {
  const { alarm: t } = useTexts()
  if (!worst) return null
  return (
    <span className="alarm-count" style={{ color: severityColors[worst] }}>
      {!isShort && <IconBell size={16} aria-hidden />}
      <span aria-hidden={isShort}>
        {isShort ? `${count}${isFull ? '+' : ''}` : t.count(count, isFull)}
      </span>
      <span className="unseen">
        {isShort ? t.bell(count, isFull, t.severities[worst]) : t.severities[worst]}
      </span>
    </span>
  )
}
