import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconLock, IconLockOpen, IconPlus, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { isTooLong, keyFault } from '../modelx/draft.ts'
import { ValueInput } from '../modelx/ValueInput.tsx'
import { useTexts } from '../texts/texts.ts'
import { isProtected, keyOf, type MetaDraft, type MetaField, metaFieldsIn } from './meta.ts'

type Props = {
  draft: MetaDraft
  /** Undefined: it is only shown. */
  change: ((fields: MetaDraft) => void) | undefined
  mayProtect: boolean
}

/** The metadata of a user or an organization. */
export function MetaFields({ draft, change, mayProtect }: Props) {
  const { functions: t } = useTexts()
  const fields = metaFieldsIn(draft)
  return (
    <Stack gap={0} component="section" aria-label={t.metadata}>
      <Text component="h3" fw={600} size="md" mb={4}>
        {t.metadata}
      </Text>
      {fields.length === 0 && <Text className="muted">{t.noMetadata}</Text>}
      {fields.map((field) => (
        <Row
          key={field}
          field={field}
          value={draft[field] ?? ''}
          change={isProtected(field) && !mayProtect ? undefined : change}
          mayProtect={mayProtect}
        />
      ))}
      {change && (
        <NewKey taken={fields.map(keyOf)} add={(key) => change({ [`meta ${key}`]: '' })} />
      )}
    </Stack>
  )
}

type RowProps = Omit<Props, 'draft'> & { field: MetaField; value: string }

function Row({ field, value, change, mayProtect }: RowProps) {
  const { functions: t } = useTexts()
  const key = keyOf(field)
  const isHidden = isProtected(field)
  const other: MetaField = isHidden ? `meta ${key}` : `protected ${key}`
  return (
    <div className="meta">
      <span className="key">
        {isHidden && <IconLock size={12} role="img" aria-label={t.protected} />} {key}
      </span>
      <div className="of">
        {change ? (
          <ValueInput
            label={key}
            value={value}
            isLong={value.length > 60 || value.includes('\n')}
            error={isTooLong(value) ? t.valueLong : undefined}
            onChange={(text) => change({ [field]: text })}
          />
        ) : (
          <Text className="text">{value}</Text>
        )}
      </div>
      {change && (
        <Group gap={2} wrap="nowrap" className="buttons">
          {mayProtect && (
            <ActionIcon
              variant="subtle"
              color={isHidden ? 'coat' : 'gray'}
              aria-label={t.protect(key)}
              aria-pressed={isHidden}
              title={t.protectHelp}
              onClick={() => change({ [field]: undefined, [other]: value })}
            >
              {isHidden ? <IconLock size={16} /> : <IconLockOpen size={16} />}
            </ActionIcon>
          )}
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t.removeKey(key)}
            onClick={() => change({ [field]: undefined })}
          >
            <IconTrash size={16} />
          </ActionIcon>
        </Group>
      )}
    </div>
  )
}

type NewKeyProps = { taken: readonly string[]; add: (key: string) => void }

/** Enter adds the key, and does not send the form. */
function NewKey({ taken, add }: NewKeyProps) {
  const { functions: t } = useTexts()
  const [key, setKey] = useState('')
  const fault = keyFault(key, (one) => taken.includes(one))
  const go = () => {
    if (fault) return
    add(key)
    setKey('')
  }
  return (
    <Group gap="xs" mt="sm" align="flex-start">
      <TextInput
        size="xs"
        aria-label={t.newKey}
        placeholder={t.newKey}
        value={key}
        error={key !== '' && fault ? t[fault] : undefined}
        onChange={(event) => setKey(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          go()
        }}
      />
      <Button
        variant="default"
        size="xs"
        leftSection={<IconPlus size={14} aria-hidden />}
        disabled={fault !== undefined}
        onClick={go}
      >
        {t.addKey}
      </Button>
    </Group>
  )
}
