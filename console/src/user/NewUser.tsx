import { Button, Group, Radio, Stack } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Fault } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { createUser, mailKey, show } from './api.ts'
import { bodyOf, drafts, emptyDraft, type UserDraft } from './draft.ts'
import { Fields } from './Fields.tsx'
import { type People, told } from './people.ts'
import type { User } from './types.ts'

const OF = 'new'

type Props = {
  people: People
  /** The organization that the list shows. */
  organization: number | undefined
  made: (user: User, isInvited: boolean) => void
}

/** A new user has no password. The mail has a key that sets one. */
export function NewUser({ people, organization, made }: Props) {
  const texts = useTexts()
  const { users: t } = texts
  const first = organization ?? people.own?.organisations[0]
  const empty = emptyDraft(0, first === undefined ? [] : [first])
  const [draft, change] = useDraftOf<UserDraft>(drafts, OF, empty)
  const [isInvited, setInvited] = useState(true)
  const mayProtect = people.may['user/edit/protected_meta/all'] === true
  const create = useMutation({
    mutationFn: async () => {
      const user = await createUser(bodyOf(draft, mayProtect))
      drafts.drop()
      show(user)
      // The user is there even if the mail cannot be asked for. It can be sent again.
      if (isInvited) await mailKey(user.email).catch(() => {})
      return user
    },
    onSuccess: (user) => made(user, isInvited)
  })
  const isReady = draft.role > 0 && draft.organisations.length > 0 && draft.email.trim() !== ''
  return (
    <form
      className="account-form"
      aria-label={t.create}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) create.mutate()
      }}
    >
      <Fields {...{ draft, change, people, mayProtect }} mayEdit />
      <Radio.Group
        label={t.invite}
        value={isInvited ? 'now' : 'later'}
        onChange={(value) => setInvited(value === 'now')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="now" label={t.inviteNow} description={t.inviteHelp} />
          <Radio value="later" label={t.inviteLater} />
        </Stack>
      </Radio.Group>
      {create.error && <Fault text={told(create.error, 'user/create/delete', people.may, texts)} />}
      <Group>
        <Button type="submit" disabled={!isReady} loading={create.isPending}>
          {isInvited ? t.createAndInvite : t.create}
        </Button>
      </Group>
    </form>
  )
}
