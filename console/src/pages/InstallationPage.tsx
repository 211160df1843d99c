import { Group, Stack, Tabs, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Outlet, useNavigate, useParams, useRouterState } from '@tanstack/react-router'
import { AlarmCount } from '../alarm/AlarmCount.tsx'
import { useAlarmsByInstallation } from '../alarm/glance.ts'
import { BottomTabs } from '../frame/BottomTabs.tsx'
import { installationPages as tabs } from '../frame/installation-pages.ts'
import { Lost } from '../frame/Lost.tsx'
import { ManageMenu } from '../frame/ManageMenu.tsx'
import { GatewayState } from '../live/GatewayState.tsx'
import { useNews } from '../live/news.ts'
import { freshness, installations } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { useZone } from '../time.ts'
import { useRateText } from './InstallationsPage.tsx'

type Tab = (typeof tabs)[number]

/** The header of an installation and its views. */
export function InstallationPage() {
  const { installation: t } = useTexts()
  const { id } = useParams({ from: '/frame/installations/$id' })
  const navigate = useNavigate()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { data } = useQuery(installations)
  const fresh = useQuery(freshness).data?.find(({ installation_id }) => installation_id === id)
  const alarms = useAlarmsByInstallation().get(id)
  const rateText = useRateText()
  const zone = useZone(id)
  const installation = data?.find((one) => one.id === id)
  useNews(id, installation?.client_id)
  if (data && !installation) return <Lost />
  return (
    <Stack gap="md">
      <div>
        <Title order={1} mih={30} style={{ overflowWrap: 'anywhere' }}>
          {installation?.name}
        </Title>
        <Group gap="2px 16px" className="muted" mih={22}>
          {fresh?.gateway && <GatewayState id={id} gateway={fresh.gateway} />}
          {fresh && <Text>{t.fresh(fresh.topics - fresh.silent, fresh.topics)}</Text>}
          {fresh && <Text>{t.rate(rateText(fresh.per_minute))}</Text>}
          {installation && <Text visibleFrom="sm">{t.clientId(installation.client_id)}</Text>}
          {zone && <Text visibleFrom="sm">{zone}</Text>}
        </Group>
      </div>
      <Group visibleFrom="sm" wrap="nowrap" gap={0} className="tab-row">
        <Tabs
          flex={1}
          value={tabs.find((tab) => path.endsWith(`/${tab}`)) ?? null}
          onChange={(tab) =>
            void navigate({ to: `/installations/$id/${tab as Tab}`, params: { id } })
          }
        >
          <Tabs.List aria-label={t.tabs}>
            {tabs.map((tab) => (
              <Tabs.Tab key={tab} value={tab}>
                {t[tab]}
                {tab === 'alarms' && alarms && <AlarmCount {...alarms} isShort />}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
        <ManageMenu id={id} />
      </Group>
      {installation && <Outlet key={id} />}
      <BottomTabs id={id} />
    </Stack>
  )
}
