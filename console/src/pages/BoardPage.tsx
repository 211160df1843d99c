import '../board/board.css'
import { Button, Group, SimpleGrid, Skeleton, Stack, Text } from '@mantine/core'
import { IconPencil } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Board } from '../board/boards.ts'
import { EditBoard } from '../board/EditBoard.tsx'
import { PlotCard } from '../board/PlotCard.tsx'
import { Problem } from '../frame/Problem.tsx'
import { useAllRows } from '../plot/use-rows.ts'
import { board, installationRecord, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'

const CARD_PX = 330

/** The plots that are kept for everybody who sees the installation. */
export function BoardPage() {
  const { board: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/board' })
  const kept = useQuery(board(id))
  const mayEdit = useQuery(rights(id)).data?.['installation/update'] === true
  const { all, isPending } = useAllRows(id)
  // Times would jump if they were first shown in another zone.
  const isZoneKnown = !useQuery(installationRecord(id)).isPending
  const [editing, setEditing] = useState<Board>()
  if (editing) return <EditBoard id={id} start={editing} onDone={() => setEditing(undefined)} />
  if (kept.isError && !kept.data) {
    return <Problem error={kept.error} again={() => void kept.refetch()} />
  }
  if (!kept.data || isPending || !isZoneKnown) {
    return (
      <Grid>
        <Skeleton h={CARD_PX} radius={12} />
        <Skeleton h={CARD_PX} radius={12} />
      </Grid>
    )
  }
  const { plots } = kept.data
  if (plots.length === 0) return <Empty id={id} mayEdit={mayEdit} />
  return (
    <Stack gap="md">
      {mayEdit && (
        <Group justify="flex-end">
          <Button
            variant="default"
            leftSection={<IconPencil size={16} aria-hidden />}
            onClick={() => setEditing(kept.data)}
          >
            {t.edit}
          </Button>
        </Group>
      )}
      <Grid>
        {plots.map((plot, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two kept plots may be the same
          <PlotCard key={`${i} ${JSON.stringify(plot)}`} id={id} kept={plot} all={all} />
        ))}
      </Grid>
    </Stack>
  )
}

function Grid({ children }: { children: React.ReactNode }) {
  return (
    <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="md">
      {children}
    </SimpleGrid>
  )
}

function Empty({ id, mayEdit }: { id: number; mayEdit: boolean }) {
  const { board: t } = useTexts()
  return (
    <Stack className="panel" p="lg" gap="xs" align="flex-start">
      <Text fw={600}>{t.empty}</Text>
      <Text className="muted">{mayEdit ? t.emptyHelp : t.emptyOther}</Text>
      {mayEdit && (
        <Button
          renderRoot={(props) => <Link to="/installations/$id/plot" params={{ id }} {...props} />}
        >
          {t.toPlot}
        </Button>
      )}
    </Stack>
  )
}
