import { Button, Combobox, Group, Pill, Text, useCombobox } from '@mantine/core'
import { IconCheck, IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import type { Row } from '../live/shown.ts'
import { useTexts } from '../texts/texts.ts'
import { Mark } from './Mark.tsx'
import { colorOf } from './options.ts'
import type { Look } from './palette.ts'
import { MAX_TOPICS } from './range.ts'
import { unitOf } from './rows.ts'
import { useScheme } from './scheme.ts'

type Props = {
  all: readonly Row[]
  chosen: readonly Row[]
  looks: ReadonlyMap<string, Look>
  onChange: (topics: string[]) => void
}

/** More would make the list slow; who wants another one types a part of its name. */
const MAX_OPTIONS = 100

/** The lines of the plot by name, and a list to add others. */
export function TopicPicker({ all, chosen, looks, onChange }: Props) {
  const { plot: t } = useTexts()
  const scheme = useScheme()
  const topics = chosen.map(({ short }) => short)
  return (
    <Group gap="xs" role="group" aria-label={t.lines}>
      {chosen.map(({ topic, short, name }) => {
        const look = looks.get(topic)
        return (
          <Pill
            key={topic}
            size="lg"
            className="chosen"
            withRemoveButton
            removeButtonProps={{ 'aria-label': t.remove(name), 'aria-hidden': false, tabIndex: 0 }}
            onRemove={() => onChange(topics.filter((one) => one !== short))}
            title={short}
          >
            <Mark color={colorOf(look, scheme)} dash={look?.dash} /> {name}
          </Pill>
        )
      })}
      <AddTopic all={all} topics={topics} onChange={onChange} />
    </Group>
  )
}

type AddProps = { all: readonly Row[]; topics: string[]; onChange: (topics: string[]) => void }

function AddTopic({ all, topics, onChange }: AddProps) {
  const { plot: t, live } = useTexts()
  const [search, setSearch] = useState('')
  const combobox = useCombobox({
    onDropdownClose: () => {
      combobox.resetSelectedOption()
      setSearch('')
    },
    onDropdownOpen: () => combobox.focusSearchInput()
  })
  const wanted = search.toLowerCase().split(/\s+/)
  const found = all.filter((row) => {
    const text = `${row.name} ${row.room} ${unitOf(row)} ${row.short}`.toLowerCase()
    return wanted.every((word) => text.includes(word))
  })
  const isFull = topics.length >= MAX_TOPICS
  const toggle = (short: string) => {
    if (topics.includes(short)) onChange(topics.filter((one) => one !== short))
    else if (!isFull) onChange([...topics, short])
  }
  const rooms = Map.groupBy(found.slice(0, MAX_OPTIONS), ({ room }) => room)
  return (
    <Combobox store={combobox} width={320} position="bottom-start" onOptionSubmit={toggle}>
      <Combobox.Target withAriaAttributes={false}>
        <Button
          variant="default"
          radius="xl"
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => combobox.toggleDropdown()}
        >
          {t.add}
        </Button>
      </Combobox.Target>
      <Combobox.Dropdown>
        <Combobox.Search
          value={search}
          aria-label={t.find}
          placeholder={t.find}
          onChange={(event) => {
            setSearch(event.currentTarget.value)
            combobox.updateSelectedOptionIndex()
          }}
        />
        {isFull && (
          <Text size="xs" p={6} c="var(--warning)">
            {t.tooMany(MAX_TOPICS)}
          </Text>
        )}
        <Combobox.Options mah={320} style={{ overflowY: 'auto' }} aria-label={t.lines}>
          {[...rooms].map(([room, rows]) => (
            <Combobox.Group key={room} label={room || live.elsewhere}>
              {rows.map((row) => (
                <Combobox.Option
                  key={row.topic}
                  value={row.short}
                  disabled={isFull && !topics.includes(row.short)}
                >
                  <Group gap="xs" wrap="nowrap">
                    <IconCheck
                      size={14}
                      aria-hidden
                      style={{ flex: 'none', opacity: topics.includes(row.short) ? 1 : 0 }}
                    />
                    <span className="names">
                      <span className="first">{row.name}</span>
                      <span className="topic">{row.short}</span>
                    </span>
                    <span className="unit" style={{ marginLeft: 'auto' }}>
                      {unitOf(row)}
                    </span>
                  </Group>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
          {found.length === 0 && <Combobox.Empty>{t.noneMatch}</Combobox.Empty>}
        </Combobox.Options>
        {found.length > MAX_OPTIONS && (
          <Text size="xs" className="muted" p={6}>
            {t.more(found.length - MAX_OPTIONS)}
          </Text>
        )}
      </Combobox.Dropdown>
    </Combobox>
  )
}
