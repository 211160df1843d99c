import { Button, FileButton, Group, Modal, ScrollArea, Stack, Table, Text } from '@mantine/core'
import { IconFileUpload } from '@tabler/icons-react'
import { useState } from 'react'
import type { Model, Place } from '../modelx/api.ts'
import { nameOf } from '../modelx/rows.ts'
import { useTexts } from '../texts/texts.ts'
import type { Change, Creation } from './changes.ts'
import type { Plan, Unreadable } from './csv.ts'
import { changeTask, creationTask } from './tasks.ts'
import type { Task } from './work.ts'

/** Larger tables are for a program. */
const MAX_BYTES = 10_000_000
const MAX_SHOWN = 100

type Props = {
  place: Place
  models: readonly Model[]
  mayAdd: boolean
  start: (title: string, tasks: readonly Task[]) => void
}

/** Reads a table, shows what it would change, and changes it when that is confirmed. */
export function CsvIn({ place, models, mayAdd, start }: Props) {
  const { many: t } = useTexts()
  const [read, setRead] = useState<Plan | Unreadable | 'too large'>()
  const open = async (file: File | null) => {
    if (!file) return
    if (file.size > MAX_BYTES) return setRead('too large')
    const { planOf } = await import('./csv.ts')
    setRead(planOf(await file.text(), models))
  }
  const close = () => setRead(undefined)
  return (
    <>
      <FileButton accept="text/csv,.csv,.txt" onChange={(file) => void open(file)} resetRef={null}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            leftSection={<IconFileUpload size={16} aria-hidden />}
          >
            {t.csvIn}
          </Button>
        )}
      </FileButton>
      <Modal
        opened={read !== undefined}
        onClose={close}
        size="xl"
        title={t.preview}
        closeButtonProps={{ 'aria-label': t.cancel }}
      >
        {typeof read === 'string' ? (
          <Text role="alert">{t.unreadable[read]}</Text>
        ) : (
          read && (
            <Preview
              plan={read}
              mayAdd={mayAdd}
              close={close}
              go={(tasks) => {
                close()
                start(t.csvIn, tasks)
              }}
              place={place}
            />
          )
        )}
      </Modal>
    </>
  )
}

type PreviewProps = {
  plan: Plan
  place: Place
  mayAdd: boolean
  close: () => void
  go: (tasks: readonly Task[]) => void
}

function Preview({ plan, place, mayAdd, close, go }: PreviewProps) {
  const { many: t } = useTexts()
  const { changes, same, faults } = plan
  const creations = mayAdd ? plan.creations : []
  const count = changes.length + creations.length
  return (
    <Stack>
      <Text role="status">
        {t.plan(changes.length, creations.length, same)}
        {plan.creations.length > creations.length && ` ${t.mayNotAdd(plan.creations.length)}`}
      </Text>
      {faults.length > 0 && (
        <Stack gap={2} role="alert">
          <Text fw={600} c="var(--warning)">
            {t.rowFaults(faults.length)}
          </Text>
          {faults.slice(0, MAX_SHOWN).map(({ line, fault }) => (
            <Text key={line}>{t.rowFault(line, t.faults[fault])}</Text>
          ))}
        </Stack>
      )}
      {count > 0 && <Lines changes={changes} creations={creations} />}
      <Group justify="flex-end">
        <Button variant="default" onClick={close}>
          {t.cancel}
        </Button>
        <Button
          disabled={count === 0}
          onClick={() =>
            go([
              ...changes.map((one) => changeTask(place, one)),
              ...creations.map((one) => creationTask(place, one))
            ])
          }
        >
          {t.apply(count)}
        </Button>
      </Group>
    </Stack>
  )
}

type Line = { id: string; name: string; field: string; was: string; becomes: string | undefined }

const linesOf = ({ model, type, meta }: Change): Line[] => [
  ...(type === undefined
    ? []
    : [
        {
          id: `${model.id} type`,
          name: nameOf(model),
          field: 'type',
          was: model.type,
          becomes: type
        }
      ]),
  ...[...meta].map(([key, value]) => ({
    id: `${model.id} ${key}`,
    name: nameOf(model),
    field: key,
    was: model.meta[key] ?? '',
    becomes: value
  }))
]

/** The first of the cells that change. */
function Lines({
  changes,
  creations
}: {
  changes: readonly Change[]
  creations: readonly Creation[]
}) {
  const { many: t, edit } = useTexts()
  const lines = [
    ...changes.flatMap(linesOf),
    ...creations.map(({ type, meta }, i) => ({
      id: `new ${i}`,
      name: meta['name'] || type,
      field: t.isNew,
      was: '',
      becomes: [type, ...Object.entries(meta).map(([key, value]) => `${key}=${value}`)].join(', ')
    }))
  ]
  return (
    <>
      <ScrollArea.Autosize mah={360} type="auto">
        <Table>
          <Table.Thead>
            <Table.Tr>
              {[t.of, edit.field, t.was, t.becomes].map((name) => (
                <Table.Th key={name}>{name}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody style={{ overflowWrap: 'anywhere' }}>
            {lines.slice(0, MAX_SHOWN).map(({ id, name, field, was, becomes }) => (
              <Table.Tr key={id}>
                <Table.Th scope="row">{name}</Table.Th>
                <Table.Td>{field}</Table.Td>
                <Table.Td className="muted">{was}</Table.Td>
                <Table.Td>{becomes ?? <em>{t.removed}</em>}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea.Autosize>
      {lines.length > MAX_SHOWN && (
        <Text className="muted">{t.andMore(lines.length - MAX_SHOWN)}</Text>
      )}
    </>
  )
}
