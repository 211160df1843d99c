import { Button, Group, Popover, SegmentedControl, Stack, Text, TextInput } from '@mantine/core'
import { IconCalendar } from '@tabler/icons-react'
import { useState } from 'react'
import { useLocale, useTexts } from '../texts/texts.ts'
import { MIN_SPAN_S, type Preset, presets, type Range, type Span } from './range.ts'
import { rangeText } from './text.ts'
import { readWallText, wallText } from './zone.ts'

type Props = { range: Range; span: Span; zone: string; onChange: (range: Range) => void }

const names = Object.keys(presets) as Preset[]

/** The last hour to the last year, or any range. */
export function RangeBar({ range, span, zone, onChange }: Props) {
  const { plot: t } = useTexts()
  const preset = names.find((name) => 'last' in range && presets[name] === range.last)
  return (
    <Group gap="xs">
      <SegmentedControl
        aria-label={t.range}
        value={preset ?? ''}
        onChange={(name) => onChange({ last: presets[name as Preset] })}
        data={names.map((name) => ({ value: name, label: t[name] }))}
      />
      <FreeRange range={range} span={span} zone={zone} onChange={onChange} />
    </Group>
  )
}

function FreeRange({ range, span, zone, onChange }: Props) {
  const { plot: t } = useTexts()
  const locale = useLocale()
  const [isOpen, setOpen] = useState(false)
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const [isWrong, setWrong] = useState(false)
  const toggle = () => {
    setFrom(wallText(zone, span.from * 1000))
    setTo(wallText(zone, span.to * 1000))
    setWrong(false)
    setOpen(!isOpen)
  }
  const submit = (event: React.FormEvent) => {
    event.preventDefault()
    const [begin, end] = [readWallText(zone, from), readWallText(zone, to)]
    if (begin === undefined || end === undefined || end - begin < MIN_SPAN_S * 1000 || begin < 0) {
      setWrong(true)
      return
    }
    setOpen(false)
    onChange({ from: begin / 1000, to: end / 1000 })
  }
  const isFree = !('last' in range)
  return (
    <Popover opened={isOpen} onChange={setOpen} position="bottom-end" trapFocus withArrow>
      <Popover.Target>
        <Button
          variant={isFree ? 'light' : 'default'}
          leftSection={<IconCalendar size={16} aria-hidden />}
          onClick={toggle}
        >
          {isFree ? rangeText(range, { zone, locale }) : t.free}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <TextInput
              type="datetime-local"
              label={t.from}
              required
              value={from}
              onChange={(event) => setFrom(event.currentTarget.value)}
            />
            <TextInput
              type="datetime-local"
              label={t.to}
              required
              value={to}
              error={isWrong && t.wrongRange}
              onChange={(event) => setTo(event.currentTarget.value)}
            />
            <Text size="xs" className="muted">
              {t.inZone(zone)}
            </Text>
            <Button type="submit">{t.show}</Button>
          </Stack>
        </form>
      </Popover.Dropdown>
    </Popover>
  )
}
