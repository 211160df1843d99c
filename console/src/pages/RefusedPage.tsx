import { Skeleton, Stack, Text } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Problem } from '../frame/Problem.tsx'
import { ledgerPages } from '../queries.ts'
import { RefusedList } from '../refused/RefusedList.tsx'
import { useTexts } from '../texts/texts.ts'
import { useMoment } from '../time.ts'

/** The refused messages of the installation. */
export function RefusedPage() {
  const { refused: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id/refused' })
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    ledgerPages(id)
  )
  const moment = useMoment(id)
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={240} radius={12} />
  return (
    <Stack gap="md">
      <Text className="muted" maw={620}>
        {t.help}
      </Text>
      <Stack className="panel" p="xs">
        <RefusedList
          entries={data.pages.flat()}
          moment={moment}
          older={hasNextPage ? () => void fetchNextPage() : undefined}
          isLoading={isFetchingNextPage}
        />
      </Stack>
    </Stack>
  )
}
