import './alarm.css'
import { IconBell } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'
import { countOf, useGlance, useMayList } from './glance.ts'
import { severityColors } from './Severity.tsx'

/** The alarms that nobody has acknowledged, on every page. */
export function Bell() {
  const { alarm: t } = useTexts()
  const mayList = useMayList()
  const glance = useGlance()
  if (!mayList) return null
  const { count, isFull, worst } = glance
    ? countOf(glance)
    : { count: 0, isFull: false, worst: undefined }
  const text = !glance ? t.title : worst ? t.bell(count, isFull, t.severities[worst]) : t.quiet
  return (
    <div role="status">
      <Link
        to="/alarms"
        className="bell"
        style={{ color: worst ? severityColors[worst] : 'var(--muted)' }}
        data-worst={worst}
      >
        <IconBell size={20} aria-hidden />
        {worst && (
          <span className="bell-count" aria-hidden>
            {count}
            {isFull && '+'}
          </span>
        )}
        <span className="unseen">{text}</span>
      </Link>
    </div>
  )
}
