import { Anchor, Stack, Text } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { Part } from '../frame/Part.tsx'
import { useTexts } from '../texts/texts.ts'
import { Access } from './Access.tsx'
import { Assigned } from './Assigned.tsx'
import { DeleteUser } from './DeleteUser.tsx'
import { EditUser } from './EditUser.tsx'
import type { People } from './people.ts'
import { Tokens } from './Tokens.tsx'
import type { User } from './types.ts'

type Props = { user: User; people: People; isInvited: boolean; close: () => void }

/** One user, and what the caller may do with the account. */
export function UserDetails({ user, people, isInvited, close }: Props) {
  const { users: t, account } = useTexts()
  const isSelf = user.id === people.own?.id
  return (
    <Stack gap="lg">
      {isInvited && (
        <Text role="status" className="note">
          {t.mailed(user.email)}
        </Text>
      )}
      {isSelf && (
        <Text>
          {t.self}{' '}
          <Anchor component={Link} to="/account">
            {account.title}
          </Anchor>
        </Text>
      )}
      <EditUser user={user} people={people} />
      {people.may['role/list'] && <Anchor href={`/roles?user=${user.id}`}>{t.why}</Anchor>}
      <Part isInside title={t.assigned} help={t.assignedHelp}>
        <Assigned user={user} people={people} />
      </Part>
      <Part isInside title={t.access} help={t.accessHelp}>
        <Access user={user} people={people} isSelf={isSelf} />
      </Part>
      <Part isInside title={t.tokens} help={t.tokensHelp}>
        <Tokens user={user} people={people} />
      </Part>
      {people.may['user/create/delete'] && !isSelf && (
        <Part isInside title={t.delete}>
          <DeleteUser user={user} people={people} deleted={close} />
        </Part>
      )}
    </Stack>
  )
}
