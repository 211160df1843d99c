import { Group, Text, Tooltip } from '@mantine/core'
import { useAway } from '../session/session.ts'
import { useLanguage, useTexts } from '../texts/texts.ts'
import { type Connection, useConnection } from './connection.ts'

const colors = {
  idle: 'transparent',
  connecting: 'var(--muted)',
  live: 'var(--good)',
  polling: 'var(--warning)',
  offline: 'var(--bad)'
}

/** Whether what is seen is live. */
export function ConnectionState() {
  const { state: t } = useTexts()
  const language = useLanguage()
  const live = useConnection()
  const away = useAway()
  // A page without live values is offline too when the platform does not answer.
  const connection: Connection =
    away === undefined || live.state === 'offline' ? live : { state: 'offline', since: away }
  const time = (at: number) => new Intl.DateTimeFormat(language, { timeStyle: 'medium' }).format(at)
  const text = () => {
    if (connection.state === 'idle') return ''
    return connection.state === 'offline' ? t.offline(time(connection.since)) : t[connection.state]
  }
  return (
    <Tooltip label={t.pollingWhy} disabled={connection.state !== 'polling'}>
      <Group gap={6} ml="auto" wrap="nowrap" role="status">
        <span className="dot" style={{ background: colors[connection.state] }} />
        <Text className="muted">{text()}</Text>
      </Group>
    </Tooltip>
  )
}
