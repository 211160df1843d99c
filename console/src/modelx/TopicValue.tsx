import { Group, Skeleton, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ageText, SILENT_AFTER_S, useNow } from '../clock.ts'
import { shownValue } from '../live/shown.ts'
import { newest, rights } from '../queries.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'

const POLL_MS = 5000

type Props = { id: number; topic: string; meta: Readonly<Record<string, string>> }

/** The newest value of a topic, its age, and the ways to see more of it. */
export function TopicValue({ id, topic, meta }: Props) {
  const texts = useTexts()
  const t = texts.functions
  const language = useLanguage()
  const maySee = useQuery(rights(id)).data?.['status/read']
  const { data, isPending } = useQuery({
    ...newest(id, topic),
    refetchInterval: POLL_MS,
    enabled: maySee === true
  })
  const age = useNow() / 1000 - (data?.timestamp ?? 0)
  const isSilent = age > SILENT_AFTER_S
  const shown = data && shownValue(data.value, meta, language)
  return (
    <Group className="panel newest" justify="space-between" mih={58}>
      {maySee && isPending ? (
        <Skeleton h={22} w={120} />
      ) : shown ? (
        <div>
          <span className={isSilent ? 'value muted' : 'value'}>{shown.text}</span>
          {shown.unit && <span className="unit">{shown.unit}</span>}
          <Text span className="muted" ml="sm">
            {ageText(age, texts)}
          </Text>
          {isSilent && (
            <Text span c="var(--warning)" ml="sm">
              {texts.live.silentSince}
            </Text>
          )}
          {data.msg && <span className="msg">{data.msg}</span>}
        </div>
      ) : (
        <Text className="muted">{maySee === false ? t.valueHidden : t.noValue}</Text>
      )}
      <Group gap="md">
        <Link
          className="link"
          to="/installations/$id/live"
          params={{ id }}
          search={{ name: topic }}
        >
          {texts.installation.live}
        </Link>
        <Link
          className="link"
          to="/installations/$id/plot"
          params={{ id }}
          search={{ topics: [topic] }}
        >
          {texts.installation.plot}
        </Link>
      </Group>
    </Group>
  )
}
