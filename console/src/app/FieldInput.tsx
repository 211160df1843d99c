import { Button, Stack, Switch, Text } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useTexts } from '../texts/texts.ts'
import { beginning, type Field, isMap } from './fields.ts'
import { Selector } from './Selector.tsx'
import { type InputProps, Typed } from './Typed.tsx'

/** One value of a configuration, by what its app says of it. */
export function FieldInput(props: InputProps) {
  const { field, value } = props
  switch (field.kind) {
    case 'toggle':
      return <Toggle {...props} field={field} />
    case 'repeat':
      return value === undefined || Array.isArray(value) ? (
        <Repeat {...props} field={field} />
      ) : (
        <Typed {...props} />
      )
    case 'selector':
      return <Selector {...props} field={field} />
    default:
      return <Typed {...props} />
  }
}

type KindOf<K extends Field['kind']> = Extract<Field, { kind: K }>

function Toggle({ field, value, isLocked, change }: InputProps<KindOf<'toggle'>>) {
  return (
    <Switch
      label={field.name}
      description={field.description}
      checked={value === true || (value === field.on && value !== field.off)}
      disabled={isLocked}
      onChange={(event) => change(event.currentTarget.checked ? field.on : field.off)}
    />
  )
}

/** A list of groups of values. */
function Repeat({ installation_id, field, value, isLocked, change }: InputProps<KindOf<'repeat'>>) {
  const { apps: t } = useTexts()
  const rows: unknown[] = Array.isArray(value) ? value : []
  return (
    <Stack component="section" gap="xs" aria-label={field.name}>
      <div>
        <Text fw={600} size="sm">
          {field.name}
          {field.isRequired && ' *'}
        </Text>
        {field.description !== '' && (
          <Text className="muted" size="xs">
            {field.description}
          </Text>
        )}
      </div>
      {rows.map((row, i) => (
        <Stack
          // A row is known by its place only.
          key={String(i)}
          component="fieldset"
          className="app-row"
          gap="sm"
          p="sm"
          aria-label={t.rowOf(field.name, i + 1)}
        >
          {field.fields.map((one) => (
            <FieldInput
              key={one.key}
              {...{ installation_id, isLocked }}
              field={one}
              value={isMap(row) ? row[one.key] : undefined}
              change={(next) =>
                change(rows.with(i, { ...(isMap(row) ? row : {}), [one.key]: next }))
              }
            />
          ))}
          {!isLocked && (
            <Button
              variant="subtle"
              color="gray"
              size="compact-sm"
              style={{ alignSelf: 'flex-end' }}
              onClick={() => change(rows.toSpliced(i, 1))}
            >
              {t.removeRow(i + 1)}
            </Button>
          )}
        </Stack>
      ))}
      {!isLocked && (
        <Button
          variant="default"
          size="xs"
          style={{ alignSelf: 'flex-start' }}
          leftSection={<IconPlus size={14} aria-hidden />}
          onClick={() => change([...rows, beginning(field.fields)])}
        >
          {t.addRow(field.name)}
        </Button>
      )}
    </Stack>
  )
}
