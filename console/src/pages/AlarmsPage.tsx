import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import { AlarmList } from '../alarm/AlarmList.tsx'

/** What is wrong on the installation, and what was. */
export function AlarmsPage() {
  const { id } = useParams({ from: '/frame/installations/$id/alarms' })
  const search = useSearch({ from: '/frame/installations/$id/alarms' })
  const navigate = useNavigate({ from: '/installations/$id/alarms' })
  return (
    <AlarmList
      installation_id={id}
      search={search}
      set={(search) => void navigate({ search, replace: true, resetScroll: false })}
    />
  )
}
