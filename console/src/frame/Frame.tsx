import { Anchor, AppShell, Box, Group, Modal, NavLink, Stack, Text } from '@mantine/core'
import { IconApi, IconBell, IconBuildingCommunity } from '@tabler/icons-react'
import { Link, Outlet, useRouterState } from '@tanstack/react-router'
import { Bell } from '../alarm/Bell.tsx'
import { useMayList } from '../alarm/glance.ts'
import { ConnectionState } from '../live/ConnectionState.tsx'
import { SignInForm } from '../pages/SignInForm.tsx'
import { PaletteButton } from '../palette/PaletteButton.tsx'
import { useSession } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'
import { Account } from './Account.tsx'
import { PlatformNav } from './PlatformNav.tsx'

const NAVIGATION_WIDTH = 208

/** What is around every page: where one is, who one is, and whether values are live. */
export function Frame() {
  const { alarm, frame, signIn } = useTexts()
  const mayListAlarms = useMayList()
  const { ended = false } = useSession()
  const path = useRouterState({ select: ({ location }) => location.pathname })
  return (
    <AppShell
      layout="alt"
      header={{ height: 52 }}
      navbar={{ width: NAVIGATION_WIDTH, breakpoint: 'sm', collapsed: { mobile: true } }}
      padding="lg"
    >
      <AppShell.Header withBorder={false} style={{ background: 'var(--ground)' }}>
        <Group h="100%" className="top" wrap="nowrap">
          <Anchor href="#content" className="skip">
            {frame.toContent}
          </Anchor>
          <Anchor
            component={Link}
            to="/installations"
            underline="never"
            c="inherit"
            hiddenFrom="sm"
            aria-label={frame.installations}
            lh={0}
          >
            <Mark />
          </Anchor>
          <PaletteButton isOff={ended} />
          <ConnectionState />
          <Bell />
          <Box hiddenFrom="sm">
            <Account isSmall />
          </Box>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="sm" style={{ background: 'var(--ground)' }} aria-label={frame.main}>
        <Anchor
          component={Link}
          to="/installations"
          underline="never"
          c="inherit"
          px="xs"
          py={6}
          mb="sm"
        >
          <Brand />
        </Anchor>
        <NavLink
          component={Link}
          to="/installations"
          active={path.startsWith('/installations')}
          label={frame.installations}
          leftSection={<IconBuildingCommunity size={18} aria-hidden />}
          style={{ borderRadius: 8 }}
        />
        {mayListAlarms && (
          <NavLink
            component={Link}
            to="/alarms"
            active={path === '/alarms'}
            label={alarm.title}
            leftSection={<IconBell size={18} aria-hidden />}
            style={{ borderRadius: 8 }}
          />
        )}
        <NavLink
          href="/docs"
          label={frame.api}
          leftSection={<IconApi size={18} aria-hidden />}
          style={{ borderRadius: 8 }}
        />
        <PlatformNav />
        <Stack mt="auto">
          <Account />
        </Stack>
      </AppShell.Navbar>
      <AppShell.Main id="content" tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      <Modal
        opened={ended}
        onClose={() => {}}
        withCloseButton={false}
        title={signIn.title}
        zIndex={1000}
      >
        <SignInForm note={signIn.ended} />
      </Modal>
    </AppShell>
  )
}

const Mark = () => <img src="/assets/caracal.svg" width={24} height={24} alt="" />

function Brand() {
  return (
    <Group gap="xs" wrap="nowrap">
      <Mark />
      <Text fw={650} size="lg">
        Caracal
      </Text>
    </Group>
  )
}
