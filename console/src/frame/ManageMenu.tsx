import { Button, Menu } from '@mantine/core'
import { IconChevronDown } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { permissions, rights } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { managePagesOf } from './installation-pages.ts'

/** What a manager does on the installation, beside its tabs. It says which page is open. */
export function ManageMenu({ id }: { id: number }) {
  const { installation: t } = useTexts()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const pages = managePagesOf(useQuery(rights(id)).data, useQuery(permissions).data)
  const open = pages.find((page) => path.endsWith(`/${page}`))
  if (pages.length === 0) return null
  return (
    <Menu withInitialFocusPlaceholder={false} position="bottom-end" width={220}>
      <Menu.Target>
        <Button
          variant="subtle"
          color="gray"
          c={open ? 'var(--ink)' : 'var(--muted)'}
          fw={open ? 650 : 400}
          rightSection={<IconChevronDown size={14} aria-hidden />}
          className={open && 'manage-open'}
        >
          {open ? t[open] : t.manage}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {pages.map((page) => (
          <Menu.Item
            key={page}
            fw={page === open ? 650 : undefined}
            aria-current={page === open ? 'page' : undefined}
            renderRoot={(props) => (
              <Link to={`/installations/$id/${page}`} params={{ id }} {...props} />
            )}
          >
            {t[page]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
