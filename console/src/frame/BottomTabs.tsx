import { Menu, UnstyledButton } from '@mantine/core'
import {
  IconActivity,
  IconChartLine,
  IconDots,
  IconLayoutDashboard,
  IconListDetails
} from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { permissions, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { installationPages, managePagesOf } from './installation-pages.ts'

const tabs = [
  { tab: 'board', Icon: IconLayoutDashboard },
  { tab: 'live', Icon: IconActivity },
  { tab: 'plot', Icon: IconChartLine },
  { tab: 'functions', Icon: IconListDetails }
] as const

type Page = (typeof installationPages)[number]
const isInMenu = (page: Page): boolean => tabs.every(({ tab }) => tab !== page)

/** The views of an installation on a phone: where the thumb is. */
export function BottomTabs({ id }: { id: number }) {
  const { installation: t } = useTexts()
  const may = useQuery(rights(id)).data
  const anywhere = useQuery(permissions).data
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
          {[...installationPages.filter(isInMenu), ...managePagesOf(may, anywhere)].map((page) => (
            <Menu.Item
              key={page}
              renderRoot={(props) => (
                <Link to={`/installations/$id/${page}`} params={{ id }} {...props} />
              )}
            >
              {t[page]}
            </Menu.Item>
          ))}
          <Menu.Item renderRoot={(props) => <Link to="/installations" {...props} />}>
            {t.others}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </nav>
  )
}
