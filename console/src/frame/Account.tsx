import { ActionIcon, Menu, Text, UnstyledButton, useMantineColorScheme } from '@mantine/core'
import { IconApi, IconBellCog, IconLogout, IconUserCircle, IconUserCog } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { me, permissions } from '../queries.ts'
import { choose, type Language, languages, useLanguage, useTexts } from '../texts/texts.ts'
import { platformPagesOf } from './platform-pages.ts'
import { useSignOut } from './useSignOut.ts'

const schemes = ['light', 'dark', 'auto'] as const
const WIDTH = 208

/** Who one is, and what one may choose. `isSmall`: a symbol in the header of a phone. */
export function Account({ isSmall = false }: { isSmall?: boolean }) {
  const texts = useTexts()
  const { account, frame, tell } = texts
  const may = useQuery(permissions).data
  const language = useLanguage()
  const { data } = useQuery(me)
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const signOut = useSignOut()
  return (
    <Menu
      withInitialFocusPlaceholder={false}
      position={isSmall ? 'bottom-end' : 'top-start'}
      width={WIDTH}
    >
      <Menu.Target>
        {isSmall ? (
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={frame.account}>
            <IconUserCircle size={22} />
          </ActionIcon>
        ) : (
          <UnstyledButton p="xs">
            <Text truncate>{data?.email ?? ' '}</Text>
            <Text size="xs" className="muted" truncate>
              {[data?.first_name, data?.last_name].filter(Boolean).join(' ')}
            </Text>
          </UnstyledButton>
        )}
      </Menu.Target>
      <Menu.Dropdown>
        {isSmall && <Menu.Label>{data?.email}</Menu.Label>}
        <Menu.Item
          leftSection={<IconUserCog size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/account" {...props} />}
        >
          {account.title}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconBellCog size={16} aria-hidden />}
          renderRoot={(props) => <Link to="/settings" {...props} />}
        >
          {tell.menu}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>{frame.look}</Menu.Label>
        {schemes.map((scheme) => (
          <Menu.Item
            key={scheme}
            fw={scheme === colorScheme ? 650 : undefined}
            onClick={() => setColorScheme(scheme)}
          >
            {frame[scheme]}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {Object.entries(languages).map(([name, texts]) => (
          <Menu.Item
            key={name}
            lang={name}
            fw={name === language ? 650 : undefined}
            onClick={() => choose(name as Language)}
          >
            {texts.language}
          </Menu.Item>
        ))}
        <Menu.Divider />
        {isSmall &&
          platformPagesOf(may).map((page) => (
            <Menu.Item key={page} renderRoot={(props) => <Link to={`/${page}`} {...props} />}>
              {texts[page].title}
            </Menu.Item>
          ))}
        {isSmall && (
          <Menu.Item component="a" href="/docs" leftSection={<IconApi size={16} aria-hidden />}>
            {frame.api}
          </Menu.Item>
        )}
        <Menu.Item
          leftSection={<IconLogout size={16} aria-hidden />}
          onClick={() => void signOut()}
        >
          {frame.signOut}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
