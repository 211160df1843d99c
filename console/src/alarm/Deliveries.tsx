import { Modal, Skeleton, Stack, Table, Text, UnstyledButton } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../../tools/client/client.ts'
import { Problem } from '../frame/Problem.tsx'
import { useTexts } from '../texts/texts.ts'
import { type Alarm, deliveries } from './api.ts'

type Props = { alarm: Alarm; title: string; moment: (seconds: number) => string }

/** Who was told of the alarm, when somebody asks. */
export function Deliveries({ alarm, title, moment }: Props) {
  const { alarm: t } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const { data, error, refetch } = useQuery({ ...deliveries(alarm), enabled: isOpen })
  return (
    <>
      <UnstyledButton
        className="link"
        aria-label={t.toldOf(title)}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        {t.told}
      </UnstyledButton>
      <Modal
        opened={isOpen}
        onClose={() => setOpen(false)}
        title={t.toldOf(title)}
        size="lg"
        closeButtonProps={{ 'aria-label': t.cancel }}
      >
        {error ? (
          <Problem error={error} again={() => void refetch()} />
        ) : !data ? (
          <Skeleton h={80} radius={8} />
        ) : data.length === 0 ? (
          <Stack gap="xs" align="flex-start">
            <Text>{t.toldNobody}</Text>
            <Link to="/settings" className="link">
              {t.toSettings}
            </Link>
          </Stack>
        ) : (
          <List deliveries={data} moment={moment} />
        )}
      </Modal>
    </>
  )
}

type ListProps = {
  deliveries: readonly Schemas['AlarmDelivery'][]
  moment: (seconds: number) => string
}

function List({ deliveries, moment }: ListProps) {
  const { alarm: t, tell } = useTexts()
  return (
    <Table>
      <Table.Thead>
        <Table.Tr>
          {[t.toldAt, t.toldHow, t.toldTo, t.toldResult].map((name) => (
            <Table.Th key={name}>{name}</Table.Th>
          ))}
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody style={{ overflowWrap: 'anywhere' }}>
        {deliveries.map(({ at, channel, to, result }) => (
          <Table.Tr key={`${at} ${channel} ${to}`}>
            <Table.Td>{moment(at)}</Table.Td>
            <Table.Td>{tell.channels[channel]}</Table.Td>
            <Table.Td>{to || t.toldHidden}</Table.Td>
            <Table.Td>{resultText(result, t)}</Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  )
}

function resultText(
  result: string,
  { results }: { results: Readonly<Record<'sent' | 'held' | 'failed', string>> }
): string {
  if (result === 'sent' || result === 'held') return results[result]
  return result.replace(/^failed/, results.failed)
}
