import { Progress, Skeleton, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { bytesText } from '../bytes.ts'
import { Problem } from '../frame/Problem.tsx'
import { useLocale, useTexts } from '../texts/texts.ts'
import { shareOf } from './amounts.ts'
import { type Usage, usage } from './api.ts'

const names = [
  ...(['messages_per_second', 'topics', 'history_bytes_per_day', 'history_bytes'] as const),
  ...(['files', 'file_bytes', 'connections', 'filters'] as const)
] as const satisfies readonly (keyof Usage)[]

/** How much of each quota is used. */
export function UsageBars({ id }: { id: number }) {
  const { site: t } = useTexts()
  const { data, error, refetch } = useQuery(usage(id))
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={210} radius={8} />
  const isShort = names.some((name) => {
    const { used, quota } = data[name]
    return quota !== null && shareOf(used, quota).state !== undefined
  })
  return (
    <Stack gap="sm">
      <div className="usage">
        {names.map((name) => (
          <Bar key={name} name={name} {...data[name]} />
        ))}
      </div>
      {isShort && <Text className="muted">{t.raise}</Text>}
    </Stack>
  )
}

type BarProps = { name: keyof Usage; used: number; quota: number | null }

const colors = { nearly: 'var(--warning)', usedUp: 'var(--bad)' }

function Bar({ name, used, quota }: BarProps) {
  const { site: t } = useTexts()
  const locale = useLocale()
  const text = (n: number) =>
    name.includes('bytes') ? bytesText(n, locale) : n.toLocaleString(locale)
  const { share, state } = shareOf(used, quota ?? Number.POSITIVE_INFINITY)
  return (
    <div>
      <div className="usage-line">
        <Text size="sm">{t.names[name]}</Text>
        <Text size="sm" className={state ? undefined : 'muted'}>
          {quota === null ? t.noQuota(text(used)) : t.usedOf(text(used), text(quota))}
          {state && (
            <Text span fw={600} c={colors[state]}>
              {' '}
              {t[state]}
            </Text>
          )}
        </Text>
      </div>
      {quota !== null && (
        <Progress
          aria-label={t.names[name]}
          size="sm"
          mt={4}
          // Some is not nothing.
          value={used > 0 ? Math.max(share * 100, 1) : 0}
          color={state ? colors[state] : 'var(--plot)'}
        />
      )}
    </div>
  )
}
