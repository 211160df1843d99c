import { Skeleton, Stack } from '@mantine/core'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Problem } from '../frame/Problem.tsx'
import { RefusedList } from '../refused/RefusedList.tsx'
import { refused } from './api.ts'
import { useTime } from './time.ts'

/** The refused messages of all, also of client ids that nobody has. */
export function Refused() {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } =
    useInfiniteQuery(refused)
  const moment = useTime()
  if (error) return <Problem error={error} again={() => void refetch()} />
  if (!data) return <Skeleton h={120} radius={12} />
  return (
    <Stack gap="md">
      <RefusedList
        entries={data.pages.flat()}
        moment={moment}
        older={hasNextPage ? () => void fetchNextPage() : undefined}
        isLoading={isFetchingNextPage}
      />
    </Stack>
  )
}
