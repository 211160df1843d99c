import { Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { bytesText } from '../bytes.ts'
import { ageText } from '../clock.ts'
import { dateFormat, numberFormat } from '../formats.ts'
import { useLocale, useTexts } from '../texts/texts.ts'
import type { SystemState } from './api.ts'

/** Disk, spool and connections now. */
export function Figures({ state }: { state: SystemState }) {
  const texts = useTexts()
  const { system: t } = texts
  const locale = useLocale()
  const { disk, spool, connections, certificate_expires } = state
  const number = (n: number) => numberFormat(locale, {}).format(n)
  const wait = spool && spool.samples > 0
  return (
    <dl className="system-figures">
      <Figure name={t.disk} more={t.diskReserve(bytesText(disk.reserve, locale))}>
        {bytesText(disk.free, locale)}
      </Figure>
      <Figure
        name={t.waiting}
        more={wait ? t.oldest(ageText(spool.oldest_seconds, texts)) : spool ? t.noneWaits : ''}
      >
        {spool ? number(spool.samples) : t.unknown}
      </Figure>
      <Figure name={t.mqtt} more={t.http(connections.http)}>
        {number(connections.mqtt)}
      </Figure>
      {certificate_expires !== null && (
        <Figure name={t.certificateEnds} more="">
          {dateFormat(locale, { dateStyle: 'medium' }).format(certificate_expires * 1000)}
        </Figure>
      )}
    </dl>
  )
}

type Props = { name: string; more: string; children: ReactNode }

function Figure({ name, more, children }: Props) {
  return (
    <div>
      <Text component="dt" className="muted" size="sm">
        {name}
      </Text>
      <dd>
        <span className="value">{children}</span>
        <Text className="muted" size="sm">
          {more}
        </Text>
      </dd>
    </div>
  )
}
