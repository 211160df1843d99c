import './edit.css'
import { Button, Group, Stack, Table, Text } from '@mantine/core'
import { type Drafts, useDraftOf } from '../drafts.ts'
import { type Texts, useTexts } from '../texts/texts.ts'
import { differences, isSame, merged } from './differences.ts'

type Props<T extends object> = {
  drafts: Drafts<T>
  of: string
  /** As it is now, in the form of a draft. */
  saved: T
  /** How a field is called, and how it is shown; undefined: it is not for people. */
  nameOf: (field: string) => string | undefined
  textOf?: (value: unknown, field: string) => string | undefined
}

/**
 * Says that somebody changed the object while the caller edits it, and shows both side by side. The
 * caller keeps what is typed, on top of what is there now, or takes what is there.
 */
export function Meanwhile<T extends object>({ drafts, of, saved, nameOf, textOf }: Props<T>) {
  const texts = useTexts()
  const { edit: t } = texts
  const [draft] = useDraftOf(drafts, of, saved)
  const base = drafts.baseOf(of)
  if (base === undefined || drafts.isBase(of, saved)) return null
  const rows = differences(base, saved, draft).filter(({ field }) => nameOf(field) !== undefined)
  const show = (value: unknown, field: string) =>
    (textOf?.(value, field) ?? shownBy(texts, value)) || t.empty
  return (
    <Stack className="panel meanwhile" gap="xs" p="md" role="alert">
      <Text fw={600}>{t.title}</Text>
      <Text className="muted">{t.help}</Text>
      {rows.length > 0 && (
        <Table.ScrollContainer minWidth={360}>
          <Table>
            <Table.Thead>
              <Table.Tr>
                {[t.field, t.was, t.theirs, t.mine].map((name) => (
                  <Table.Th key={name}>{name}</Table.Th>
                ))}
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {rows.map(({ field, was, theirs, mine }) => (
                <Table.Tr key={field}>
                  <Table.Th scope="row">{nameOf(field)}</Table.Th>
                  <Table.Td className="meanwhile-value">{show(was, field)}</Table.Td>
                  <Table.Td className="meanwhile-value">
                    {isSame(was, theirs) ? t.same : show(theirs, field)}
                  </Table.Td>
                  <Table.Td className="meanwhile-value">
                    {isSame(was, mine) ? t.same : show(mine, field)}
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      )}
      <Group gap="xs">
        <Button size="xs" onClick={() => drafts.put(of, merged(base, saved, draft), saved)}>
          {t.keepMine}
        </Button>
        <Button size="xs" variant="default" onClick={drafts.drop}>
          {t.takeTheirs}
        </Button>
      </Group>
    </Stack>
  )
}

function shownBy({ edit: t }: Texts, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'boolean') return value ? t.yes : t.no
  return typeof value === 'string' ? value : JSON.stringify(value)
}
