import '../account/account.css'
import '../connect/connect.css'
import '../tell/tell.css'
import {
  Anchor,
  SegmentedControl,
  Skeleton,
  Stack,
  Title,
  useMantineColorScheme
} from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { User } from '../account/api.ts'
import { DeleteAccount } from '../account/DeleteAccount.tsx'
import { OwnKeys } from '../account/OwnKeys.tsx'
import { PasswordForm } from '../account/PasswordForm.tsx'
import { ProfileForm } from '../account/ProfileForm.tsx'
import { drafts } from '../account/profile.ts'
import { Sessions } from '../account/Sessions.tsx'
import { Leaving } from '../frame/Leaving.tsx'
import { Part } from '../frame/Part.tsx'
import { Problem } from '../frame/Problem.tsx'
import { me, OTHERS_MS, tokens } from '../queries.ts'
import { choose, type Language, languages, useLanguage, useTexts } from '../texts/texts.ts'

/** The caller's own account. */
export function AccountPage() {
  const { account: t } = useTexts()
  const { data, error, refetch } = useQuery({ ...me, refetchInterval: OTHERS_MS })
  return (
    <Stack gap="md">
      <Title order={1}>{t.title}</Title>
      {data ? (
        <Parts user={data} />
      ) : error ? (
        <Problem error={error} again={() => void refetch()} />
      ) : (
        <Skeleton h={400} maw={760} radius={12} />
      )}
      <Leaving hasDraft={drafts.has} dropDraft={drafts.drop} keys={[]} />
    </Stack>
  )
}

function Parts({ user }: { user: User }) {
  const { account: t, tell } = useTexts()
  const { data = [], error, refetch } = useQuery({ ...tokens, refetchInterval: OTHERS_MS })
  const trouble = error && <Problem error={error} again={() => void refetch()} />
  return (
    <div className="account">
      <Part title={t.profile}>
        <ProfileForm user={user} />
      </Part>
      <Part title={t.console}>
        <Choices />
        <Anchor component={Link} to="/settings">
          {tell.title}
        </Anchor>
      </Part>
      <Part title={t.password}>
        <PasswordForm email={user.email} />
      </Part>
      <Part title={t.sessions} help={t.sessionsHelp}>
        {trouble ?? <Sessions sessions={data.filter(({ type }) => type === 'session')} />}
      </Part>
      <Part title={t.keys} help={t.keysHelp}>
        {trouble ?? <OwnKeys keys={data.filter(({ type }) => type === 'key')} />}
      </Part>
      <Part title={t.deleteAccount} help={t.deleteHelp}>
        <DeleteAccount email={user.email} />
      </Part>
    </div>
  )
}

const schemes = ['light', 'dark', 'auto'] as const

/** Language and colours of the console in this browser. */
function Choices() {
  const { frame, palette } = useTexts()
  const language = useLanguage()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <>
      <SegmentedControl
        aria-label={palette.language}
        value={language}
        onChange={(name) => choose(name as Language)}
        data={Object.entries(languages).map(([value, texts]) => ({
          value,
          label: texts.language
        }))}
      />
      <SegmentedControl
        aria-label={frame.look}
        value={colorScheme}
        onChange={(scheme) => setColorScheme(scheme as (typeof schemes)[number])}
        data={schemes.map((value) => ({ value, label: frame[value] }))}
      />
    </>
  )
}
