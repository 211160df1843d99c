import { Checkbox, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { me } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { Push } from './Push.tsx'
import { type Channel, channels, type Settings } from './settings.ts'

export type FieldsProps = { draft: Settings; change: (draft: Settings) => void }

/** By which ways. What a way needs stands below it. */
export function HowFields({ draft, change }: FieldsProps) {
  const { tell: t } = useTexts()
  const own = useQuery(me).data
  const has = (channel: Channel) => draft.channels.includes(channel)
  const descriptions = {
    mail: own?.email ?? '',
    sms: own?.mobile || t.noMobile,
    push: t.pushHelp,
    webhook: t.webhookHelp
  }
  return channels.map((channel) => (
    <div key={channel}>
      <Checkbox
        label={t.labels[channel]}
        description={descriptions[channel]}
        checked={has(channel)}
        // It can still be taken away.
        disabled={channel === 'sms' && !own?.mobile && !has('sms')}
        onChange={({ currentTarget: { checked } }) => {
          const others = draft.channels.filter((one) => one !== channel)
          change({ ...draft, channels: checked ? [...others, channel] : others })
        }}
      />
      {channel === 'push' && has('push') && (
        <div className="tell-more" style={{ marginTop: 8 }}>
          <Push />
        </div>
      )}
      {channel === 'webhook' && has('webhook') && (
        <div className="tell-more" style={{ marginTop: 8 }}>
          <TextInput
            type="url"
            label={t.address}
            placeholder="https://"
            maxLength={2000}
            value={draft.webhook}
            onChange={(event) => change({ ...draft, webhook: event.currentTarget.value })}
          />
        </div>
      )}
    </div>
  ))
}
