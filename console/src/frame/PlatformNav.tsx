import { NavLink, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link, useRouterState } from '@tanstack/react-router'
import { permissions } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { platformPagesOf } from './platform-pages.ts'

/** What the caller may manage for the whole platform. */
export function PlatformNav() {
  const texts = useTexts()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const pages = platformPagesOf(useQuery(permissions).data)
  if (pages.length === 0) return null
  return (
    <>
      <Text size="xs" className="muted" px="xs" mt="md" mb={4}>
        {texts.frame.manage}
      </Text>
      {pages.map((page) => (
        <NavLink
          key={page}
          component={Link}
          to={`/${page}`}
          active={path === `/${page}`}
          label={texts[page].title}
          py={6}
          style={{ borderRadius: 8 }}
        />
      ))}
    </>
  )
}
