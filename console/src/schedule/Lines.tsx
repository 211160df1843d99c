import { Button, Switch, Text, TextInput } from '@mantine/core'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { useNow } from '../clock.ts'
import { shownValue } from '../live/shown.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { installations, queryClient } from '../queries.ts'
import { useLanguage, useLocale, useTexts } from '../texts/texts.ts'
import { read, schedules, update } from './api.ts'
import { nextRuns, readCron } from './cron.ts'
import { fieldsOf, runnerOf, type Schedule } from './form.ts'
import { useLongMoment } from './NextRuns.tsx'
import { useTargets } from './rows.ts'
import { capital, wordsOf } from './words.ts'

const PER_PAGE = 100
/** So few are seen without a filter. */
const FEW = 10
const MINUTE_MS = 60_000

type Props = {
  id: number
  list: readonly Schedule[]
  zone: string | undefined
  mayUpdate: boolean
  text: string
  setText: (text: string) => void
}

/** Schedules by what they send to, in words. */
export function Lines({ id, list, zone, mayUpdate, text, setText }: Props) {
  const texts = useTexts()
  const { schedules: t } = texts
  const linesOf = useLines(id)
  const [most, setMost] = useState(PER_PAGE)
  const wanted = text.toLowerCase()
  const lines = useMemo(() => linesOf(list), [linesOf, list])
  const found = lines.filter(({ name, words, who, schedule: { topic } }) =>
    `${name} ${topic} ${words} ${who}`.toLowerCase().includes(wanted)
  )
  const toggle = useMutation({
    mutationFn: async (schedule: Schedule) => {
      const { value: now, etag } = await read(schedule)
      return update(now, { ...fieldsOf(now), active: !schedule.active }, etag)
    },
    onSuccess: (now) =>
      queryClient.setQueryData(schedules(id).queryKey, (list: Schedule[] | undefined) =>
        list?.map((one) => (one.id === now.id ? now : one))
      )
  })
  return (
    <>
      {(list.length > FEW || text !== '') && (
        <TextInput
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={text}
          maw={360}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {toggle.error && <Fault text={refusal(toggle.error, 'schedule/update', texts)} />}
      {found.length === 0 && <Text className="muted">{t.noneMatch}</Text>}
      <ul className="schedules">
        {found.slice(0, most).map((line) => (
          <LineOf
            key={line.schedule.id}
            {...{ line, zone, mayUpdate, text }}
            isBusy={toggle.isPending && toggle.variables.id === line.schedule.id}
            toggle={() => toggle.mutate(line.schedule)}
          />
        ))}
      </ul>
      {found.length > most && (
        <Button variant="default" onClick={() => setMost(most + PER_PAGE)}>
          {t.more}
        </Button>
      )}
    </>
  )
}

export type Line = {
  schedule: Schedule
  /** The function, or the topic, and the value. */
  name: string
  /** Empty if it is in the name. */
  topic: string
  words: string
  who: string
}

/** What is said of each schedule, sorted by name. */
export function useLines(id: number): (list: readonly Schedule[]) => Line[] {
  const { schedules: t } = useTexts()
  const locale = useLocale()
  const language = useLanguage()
  const { rowOf } = useTargets(id)
  const capabilities = useQuery(installations).data?.find((one) => one.id === id)?.capabilities
  return useMemo(
    () => (list) =>
      list
        .map((schedule): Line => {
          const { topic, value, executor } = schedule
          const row = rowOf(topic)
          const { text, unit } = shownValue(value, row?.meta ?? {}, language)
          const runner = runnerOf(executor, capabilities ?? [])
          const cron = readCron(schedule)
          const whos = { own: t.by(executor), gateway: t.byGateway }
          return {
            schedule,
            topic: row ? topic : '',
            name: t.sends(row?.name ?? topic, unit ? `${text} ${unit}` : text),
            words: cron ? capital(wordsOf(cron, t.says, locale), locale) : t.fieldsWrong,
            who: runner === 'own' || runner === 'gateway' ? whos[runner] : t.byPlatform
          }
        })
        .sort((a, b) => a.name.localeCompare(b.name) || a.schedule.id - b.schedule.id),
    [t, locale, language, rowOf, capabilities]
  )
}

type LineProps = Pick<Props, 'zone' | 'mayUpdate' | 'text'> & {
  line: Line
  isBusy: boolean
  toggle: () => void
}

function LineOf({ line, zone, mayUpdate, text, isBusy, toggle }: LineProps) {
  const { schedules: t } = useTexts()
  const { schedule, name, topic, words, who } = line
  const next = useNextText(schedule, zone)
  return (
    <li className={schedule.active ? 'panel schedule-line' : 'panel schedule-line off'}>
      <div className="names">
        <Link
          from="/installations/$id/schedules"
          search={{ id: schedule.id, text: text || undefined }}
          className="open"
          preload={false}
        >
          {name}
        </Link>
        {topic && <span className="topic">{topic}</span>}
      </div>
      <span>{words}</span>
      <span className="muted">
        {[schedule.active ? next : t.off, who].filter(Boolean).join(', ')}
      </span>
      <Switch
        className="switch"
        aria-label={t.activeOf(name)}
        checked={schedule.active}
        disabled={!mayUpdate || isBusy}
        onChange={toggle}
      />
    </li>
  )
}

function useNextText(schedule: Schedule, zone: string | undefined): string {
  const { schedules: t } = useTexts()
  const moment = useLongMoment(zone)
  const minute = Math.floor(useNow() / MINUTE_MS)
  const { active } = schedule
  const run = useMemo(() => {
    const cron = active ? readCron(schedule) : undefined
    return cron && zone ? nextRuns(cron, zone, minute * MINUTE_MS, 1) : undefined
  }, [schedule, active, zone, minute])
  if (!run) return ''
  return run[0] ? t.nextAt(moment(run[0].at)) : t.neverShort
}
