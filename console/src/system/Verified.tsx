import { Text } from '@mantine/core'
import { numberFormat } from '../formats.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import type { BackupState } from './api.ts'
import { useTime } from './time.ts'

type Props = { verified: NonNullable<BackupState['verified']> }

/** What was found when a backup was read. */
export function Verified({ verified }: Props) {
  const { system: t } = useTexts()
  const locale = useLocale()
  const time = useTime()
  const number = (n: number) => numberFormat(locale, {}).format(n)
  const { name, at, values, files, faults, findings, error } = verified
  const isWhole = faults === 0 && error === null
  const more = faults - findings.length
  return (
    <>
      <Text>
        {time(at)}:{' '}
        <Text span c={isWhole ? 'var(--good)' : 'var(--bad)'}>
          {error !== null
            ? t.notRead
            : isWhole
              ? t.whole(number(values), number(files))
              : t.damaged(faults)}
        </Text>
      </Text>
      <Text className="muted" size="sm">
        {name}
      </Text>
      {error !== null && <Text>{error}</Text>}
      {findings.length > 0 && (
        <ul>
          {findings.map(({ file, fault, lost }) => (
            <li key={file}>
              <span className="topic">{file}</span>: {fault}
              {lost !== undefined && <Text className="muted">{t.lost(lost)}</Text>}
            </li>
          ))}
        </ul>
      )}
      {more > 0 && <Text className="muted">{t.more(more)}</Text>}
    </>
  )
}
