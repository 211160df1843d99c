import { Text } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import type { Health } from './api.ts'

const order = ['registry', 'history', 'bus', 'alarms', 'disk'] as const
type Known = (typeof order)[number]

const isKnown = (name: string): name is Known => order.some((one) => one === name)

/** Each part of the platform: whether it works, and what it means if it does not. */
export function Engines({ engines }: { engines: Health['engines'] }) {
  const { system: t } = useTexts()
  return (
    <ul className="system-parts">
      {Object.entries(engines).map(([name, { ok, detail }]) => (
        <li key={name}>
          <span
            className="dot"
            style={{ background: ok ? 'var(--good)' : 'var(--bad)' }}
            aria-hidden
          />
          <span>
            <Text span fw={600}>
              {isKnown(name) ? t.engine[name] : name}
            </Text>{' '}
            <Text span c={ok ? 'var(--good)' : 'var(--bad)'}>
              {ok ? t.works : t.fails}
            </Text>
          </span>
          {!ok && isKnown(name) && <Text className="more">{t.meaning[name]}</Text>}
          <Text className="more muted" size="sm">
            {detail}
          </Text>
        </li>
      ))}
    </ul>
  )
}
