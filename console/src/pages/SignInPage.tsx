import { Center, Group, Stack, Title } from '@mantine/core'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useSession } from '../session/session.ts'
import { useTexts } from '../texts/texts.ts'
import { SignInForm } from './SignInForm.tsx'

export function SignInPage() {
  const { signIn } = useTexts()
  const { token } = useSession()
  const navigate = useNavigate()
  const { to } = useSearch({ from: '/sign-in' })
  useEffect(() => {
    // Only an address of this console: a link must not lead elsewhere.
    const isOwn = to?.startsWith('/') && !to.startsWith('//')
    if (token) void navigate({ to: isOwn ? to : '/installations', replace: true })
  }, [token, to, navigate])
  return (
    <Center component="main" mih="100vh" p="md">
      <Stack className="panel" p="xl" w={360} maw="100%">
        <Group gap="sm">
          <img src="/assets/caracal.svg" width={32} height={32} alt="" />
          <Title order={1}>{signIn.title}</Title>
        </Group>
        <SignInForm />
      </Stack>
    </Center>
  )
}
