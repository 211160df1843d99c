import { Group, TagsInput, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { readWallText } from '../plot/zone.ts'
import { status } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import type { Stretch } from './api.ts'

/** As typed: times as the clock of the installation shows them. */
export type Typed = { topics: string[]; from: string; to: string }
export const nothing: Typed = { topics: [], from: '', to: '' }

/** Undefined: it is no range of times. */
export function stretchOf({ topics, from, to }: Typed, zone: string): Stretch | undefined {
  const [begin, end] = [from, to].map((text) => (text ? readWallText(zone, text) : undefined))
  if ((from && begin === undefined) || (to && end === undefined)) return undefined
  if (begin !== undefined && end !== undefined && begin > end) return undefined
  return {
    topics,
    ...(begin !== undefined && { from: begin / 1000 }),
    ...(end !== undefined && { to: end / 1000 })
  }
}

type Props = {
  installation_id: number
  zone: string
  typed: Typed
  isRequired?: boolean
  set: (typed: Typed) => void
}

/** Which topics, and from when to when. */
export function StretchFields({ installation_id, zone, typed, isRequired = false, set }: Props) {
  const { values: t, plot } = useTexts()
  const known = useQuery(status(installation_id)).data ?? []
  const topics = [...new Set(known.map(({ topic }) => topic.replace(/^\d+\//, '')))].sort()
  const isWrong = stretchOf(typed, zone) === undefined
  return (
    <>
      <TagsInput
        label={t.topics}
        description={isRequired ? t.topicsToDelete : t.topicsHelp}
        data={topics}
        limit={50}
        maxTags={200}
        value={typed.topics}
        onChange={(topics) => set({ ...typed, topics })}
        withAsterisk={isRequired}
        clearButtonProps={{ 'aria-label': t.noTopics }}
      />
      <Group gap="sm" align="flex-start">
        {(['from', 'to'] as const).map((end) => (
          <TextInput
            key={end}
            type="datetime-local"
            label={t[end]}
            description={isRequired ? undefined : t.endHelp[end]}
            required={isRequired}
            value={typed[end]}
            error={end === 'to' && isWrong && plot.wrongRange}
            onChange={(event) => set({ ...typed, [end]: event.currentTarget.value })}
          />
        ))}
      </Group>
    </>
  )
}
