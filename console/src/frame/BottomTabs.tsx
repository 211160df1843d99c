import { Menu, UnstyledButton } from '@mantine/core'
import {
  IconActivity,
  IconChartLine,
  IconDots,
  IconLayoutDashboard,
  IconListDetails
} from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useTexts } from '../texts/texts.ts'

const tabs = [
  { tab: 'board', Icon: IconLayoutDashboard },
  { tab: 'live', Icon: IconActivity },
  { tab: 'plot', Icon: IconChartLine },
  { tab: 'functions', Icon: IconListDetails }
] as const

/** The views of an installation on a phone: where the thumb is. */
export function BottomTabs({ id }: { id: number }) {
  const { installation: t } = useTexts()
  return (
    <nav className="bottom-tabs" aria-label={t.tabs}>
      {tabs.map(({ tab, Icon }) => (
        <Link key={tab} to={`/installations/$id/${tab}`} params={{ id }} className="bottom-tab">
          <Icon size={20} aria-hidden />
          {tab === 'functions' ? t.functionsShort : t[tab]}
        </Link>
      ))}
      <Menu withInitialFocusPlaceholder={false} position="top-end" width={220}>
        <Menu.Target>
          <UnstyledButton className="bottom-tab">
            <IconDots size={20} aria-hidden />
            {t.more}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item
            renderRoot={(props) => (
              <Link to="/installations/$id/alarms" params={{ id }} {...props} />
            )}
          >
            {t.alarms}
          </Menu.Item>
          <Menu.Item
            renderRoot={(props) => (
              <Link to="/installations/$id/rules" params={{ id }} {...props} />
            )}
          >
            {t.rules}
          </Menu.Item>
          <Menu.Item
            renderRoot={(props) => (
              <Link to="/installations/$id/mappings" params={{ id }} {...props} />
            )}
          >
            {t.mappings}
          </Menu.Item>
          <Menu.Item
            renderRoot={(props) => (
              <Link to="/installations/$id/connect" params={{ id }} {...props} />
            )}
          >
            {t.connect}
          </Menu.Item>
          <Menu.Item renderRoot={(props) => <Link to="/installations" {...props} />}>
            {t.others}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </nav>
  )
}
