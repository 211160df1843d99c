import { ActionIcon, Group, Select, SimpleGrid, Stack, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { readNumber } from '../numbers.ts'
import { useTexts } from '../texts/texts.ts'
import { readTable, type ValueDraft } from './draft.ts'

type Props = {
  value: ValueDraft
  place: number
  isLocked: boolean
  change: (value: ValueDraft) => void
  remove: (() => void) | undefined
}

/** How one value is read from the message, and the topic it goes to. */
export function ValueFields({ value, place, isLocked, change, remove }: Props) {
  const { mapping: t } = useTexts()
  const set = (part: Partial<ValueDraft>) => change({ ...value, ...part })
  const text = (field: 'path' | 'topic' | 'table' | 'factor' | 'offset' | 'unit' | 'timePath') => ({
    value: value[field],
    readOnly: isLocked,
    onChange: (event: { currentTarget: { value: string } }) =>
      set({ [field]: event.currentTarget.value })
  })
  const isNumber = (field: 'factor' | 'offset') => readNumber(value[field], 0) !== undefined
  return (
    <Stack
      component="fieldset"
      className="panel mapped"
      gap="xs"
      p="sm"
      aria-label={t.valueNumber(place)}
    >
      <Group justify="space-between" wrap="nowrap" align="flex-end">
        <TextInput
          className="grow"
          label={t.path}
          description={t.pathHelp}
          placeholder="ENERGY.Power"
          {...text('path')}
        />
        {remove && !isLocked && (
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={t.removeValue(place)}
            onClick={remove}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        )}
      </Group>
      <TextInput
        label={t.topic}
        placeholder="obj/{2}/power"
        required
        {...text('topic')}
        error={value.topic !== '' && !value.topic.startsWith('obj/') ? t.topicWrong : undefined}
      />
      <TextInput
        label={t.table}
        placeholder="ON=1, OFF=0"
        {...text('table')}
        error={readTable(value.table) ? undefined : t.tableWrong}
      />
      <SimpleGrid cols={3} spacing="xs">
        <TextInput
          label={t.factor}
          placeholder="1"
          inputMode="decimal"
          {...text('factor')}
          error={isNumber('factor') ? undefined : t.numberWrong}
        />
        <TextInput
          label={t.offset}
          placeholder="0"
          inputMode="decimal"
          {...text('offset')}
          error={isNumber('offset') ? undefined : t.numberWrong}
        />
        <TextInput label={t.unit} placeholder="W" {...text('unit')} />
      </SimpleGrid>
      <SimpleGrid cols={2} spacing="xs">
        <Select
          label={t.time}
          data={[
            { value: '', label: t.arrival },
            { value: 's', label: t.seconds },
            { value: 'ms', label: t.milliseconds },
            { value: 'iso', label: t.iso }
          ]}
          value={value.format}
          readOnly={isLocked}
          allowDeselect={false}
          comboboxProps={{ zIndex: 400 }}
          onChange={(format) => set({ format: (format ?? '') as ValueDraft['format'] })}
        />
        {value.format !== '' && (
          <TextInput label={t.timePath} placeholder="Time" {...text('timePath')} />
        )}
      </SimpleGrid>
    </Stack>
  )
}
