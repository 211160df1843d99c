import { Group, Stack, Text, Title } from '@mantine/core'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { AlarmList } from '../alarm/AlarmList.tsx'
import { useMayList } from '../alarm/glance.ts'
import { useTexts } from '../texts/texts.ts'

/** What is wrong anywhere. */
export function AllAlarmsPage() {
  const texts = useTexts()
  const t = texts.alarm
  const search = useSearch({ from: '/frame/alarms' })
  const navigate = useNavigate({ from: '/alarms' })
  const mayList = useMayList()
  return (
    <Stack gap="md">
      <Group justify="space-between" align="flex-start" gap="4px 24px">
        <div>
          <Title order={1}>{t.title}</Title>
          {mayList && <Text className="muted">{t.allHelp}</Text>}
        </div>
        {mayList && (
          <Link to="/settings" className="link">
            {texts.tell.title}
          </Link>
        )}
      </Group>
      {mayList === false && (
        <Text className="panel" p="lg" role="alert">
          {texts.error.needs('alarm/list')}
        </Text>
      )}
      {mayList && (
        <AlarmList
          search={search}
          set={(search) => void navigate({ search, replace: true, resetScroll: false })}
        />
      )}
    </Stack>
  )
}
