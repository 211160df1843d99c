import { Stack } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { installations, rights } from '../queries.ts'
import { useZone } from '../time.ts'
import { ValuesDelete } from '../values/ValuesDelete.tsx'
import { ValuesIn } from '../values/ValuesIn.tsx'
import { ValuesOut } from '../values/ValuesOut.tsx'

/** Historic values as files, in and out, and the deletion of a stretch of them. */
export function ValuesPage() {
  const { id } = useParams({ from: '/frame/installations/$id/values' })
  const may = useQuery(rights(id)).data
  const zone = useZone(id)
  const name = useQuery(installations).data?.find((one) => one.id === id)?.name ?? String(id)
  if (!may || !zone) return null
  return (
    <Stack gap="md" maw={760}>
      {may['log/read'] && <ValuesOut installation_id={id} {...{ name, zone }} />}
      {may['mqtt/publish'] && <ValuesIn installation_id={id} />}
      {may['log/delete'] && <ValuesDelete installation_id={id} zone={zone} />}
    </Stack>
  )
}
