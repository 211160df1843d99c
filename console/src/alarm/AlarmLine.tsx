import { Checkbox, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useId, useRef } from 'react'
import { ageText, useNow } from '../clock.ts'
import { shownValue } from '../live/shown.ts'
import { lengthText } from '../plot/text.ts'
import { functions, installations, me, permissions, rights } from '../queries.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'
import { Acknowledge } from './Acknowledge.tsx'
import { type Alarm, user } from './api.ts'
import { Deliveries } from './Deliveries.tsx'
import { plotOf } from './plot.ts'
import { Severity, severityColors } from './Severity.tsx'

type Props = {
  alarm: Alarm
  /** Over all installations the line says which one it is. */
  isOfMany: boolean
  hold: () => void
  done: (alarm: Alarm) => void
  /** While several are chosen, a line is acknowledged with the others or not at all. */
  isChoosing: boolean
  /** Undefined: it cannot be chosen. */
  choice: { isChosen: boolean; choose: (isChosen: boolean) => void } | undefined
}

export function AlarmLine({ alarm, isOfMany, hold, done, isChoosing, choice }: Props) {
  const texts = useTexts()
  const t = texts.alarm
  const { installation_id: id, severity, state } = alarm
  const line = useRef<HTMLLIElement>(null)
  const { title, name, topic, value, site } = useWords(alarm, isOfMany)
  const moment = useMoment(id)
  const locale = useLocale()
  const age = ageText(useNow() / 1000 - alarm.raised_at, texts)
  const mayAcknowledge = useQuery(rights(id)).data?.['alarm/acknowledge'] === true
  return (
    <li
      ref={line}
      tabIndex={-1}
      className="panel alarm-line"
      data-state={state}
      data-choosing={isChoosing || undefined}
      style={{ borderLeftColor: state === 'cleared' ? 'var(--line)' : severityColors[severity] }}
    >
      {isChoosing && <Choice name={t.chooseNamed(title)} choice={choice} />}
      <div className="alarm-what">
        <Severity severity={severity} />
        <Text fw={600} className="alarm-title">
          {title}
        </Text>
        <div className="alarm-place">
          {site !== undefined && (
            <Link to="/installations/$id/alarms" params={{ id }} className="link">
              {site}
            </Link>
          )}
          {name && <span>{name}</span>}
          {topic && <span className="topic">{topic}</span>}
          {topic ? (
            <Link
              className="link"
              to="/installations/$id/plot"
              params={{ id }}
              search={plotOf(alarm, topic, Date.now() / 1000)}
              preload={false}
              aria-label={t.plotOf(name || topic)}
            >
              {texts.installation.plot}
            </Link>
          ) : (
            <Link
              className="link"
              to="/installations/$id/live"
              params={{ id }}
              aria-label={t.toLiveOf(site ?? title)}
            >
              {texts.installation.live}
            </Link>
          )}
        </div>
        <div className="alarm-story muted">
          <span>
            {t.raisedAt(moment(alarm.raised_at))}
            {state !== 'cleared' && ` · ${age}`}
          </span>
          <Acknowledged alarm={alarm} moment={moment} />
          {alarm.cleared_at !== null && (
            <span>
              {t.clearedAt(
                moment(alarm.cleared_at),
                lengthText(Math.max(1, alarm.cleared_at - alarm.raised_at), locale)
              )}
            </span>
          )}
          {!isChoosing && <Deliveries {...{ alarm, title, moment }} />}
        </div>
        {alarm.note && <Text className="alarm-note">{alarm.note}</Text>}
      </div>
      {value && (
        <div className="alarm-value">
          <span className="value">{value.text}</span>
          {value.unit && <span className="unit">{value.unit}</span>}
        </div>
      )}
      {mayAcknowledge && !isChoosing && (
        <Acknowledge
          alarm={alarm}
          title={title}
          hold={hold}
          done={(row) => {
            done(row)
            // Its button is gone.
            line.current?.focus()
          }}
        />
      )}
    </li>
  )
}

/** A click anywhere on the line counts. */
function Choice({ name, choice }: { name: string; choice: Props['choice'] }) {
  const id = useId()
  return (
    <div className="alarm-choice">
      {choice && (
        <>
          <Checkbox
            id={id}
            checked={choice.isChosen}
            onChange={(event) => choice.choose(event.currentTarget.checked)}
          />
          <label htmlFor={id}>
            <span className="unseen">{name}</span>
          </label>
        </>
      )}
    </div>
  )
}

/** The names of what the alarm is about. */
function useWords(alarm: Alarm, isOfMany: boolean) {
  const { alarm: t } = useTexts()
  const locale = useLocale()
  const { installation_id: id, message, rule_id, value } = alarm
  const site = useQuery(installations).data?.find((one) => one.id === id)
  // Over all installations there may be too many functions to ask for.
  const known = useQuery({ ...functions(id), enabled: !isOfMany, retry: false }).data
  const full = alarm.topic
  const short =
    site && full.startsWith(`${site.client_id}/`) ? full.slice(full.indexOf('/') + 1) : full
  const topic = rule_id === null ? '' : short
  const of = known?.find(({ meta }) => meta.topic_read === short || meta.topic_read === full)
  const name = [of?.meta.name, of?.meta.room].filter(Boolean).join(' · ')
  const title = rule_id === null ? t.gatewayGone : message.trim() || of?.meta.name || t.noMessage
  return {
    ...{ title, name, topic },
    site: isOfMany ? (site?.name ?? String(id)) : undefined,
    value: value === null ? undefined : shownValue(value, of?.meta ?? {}, locale)
  }
}

type AcknowledgedProps = { alarm: Alarm; moment: (seconds: number) => string }

function Acknowledged({ alarm, moment }: AcknowledgedProps) {
  const { alarm: t } = useTexts()
  const { acknowledged_at, acknowledged_by: by } = alarm
  const own = useQuery(me).data?.id
  const may = useQuery(permissions).data
  const isOther = by !== null && own !== undefined && by !== own
  const mayAsk = may?.['user/list'] === true || may?.['user/list/assigned'] === true
  const other = useQuery({ ...user(by ?? 0), enabled: isOther && mayAsk }).data
  if (acknowledged_at === null) return null
  const at = moment(acknowledged_at)
  if (by === null) return <span>{t.acknowledgedAt(at)}</span>
  const name = [other?.first_name, other?.last_name].filter(Boolean).join(' ') || other?.email
  return <span>{t.acknowledgedBy(by === own ? t.you : (name ?? t.user(by)), at)}</span>
}
