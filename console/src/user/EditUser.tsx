import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { ChangedMeanwhile, saveOnSeen } from '../edit/save.ts'
import { Fault } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { readUser, show, updateUser } from './api.ts'
import { bodyOf, draftOf, drafts, type UserDraft } from './draft.ts'
import { Fields } from './Fields.tsx'
import { isMetaField, keyOf } from './meta.ts'
import { type People, told } from './people.ts'
import type { User } from './types.ts'

type Props = { user: User; people: People }

/** The profile of a user, saved only on what the caller has seen. */
export function EditUser({ user, people }: Props) {
  const texts = useTexts()
  const { users: t, account } = texts
  const of = `user ${user.id}`
  const saved = draftOf(user)
  const [draft, change] = useDraftOf<UserDraft>(drafts, of, saved)
  const [fault, setFault] = useState('')
  const [state, setState] = useState<'busy' | 'saved'>()
  const { may } = people
  // What the caller does not see must not be sent back empty.
  const mayProtect =
    may['user/edit/protected_meta/all'] === true && user.protected_meta !== undefined
  const isChanged = drafts.baseOf(of) !== undefined
  const save = async () => {
    setFault('')
    setState('busy')
    try {
      const stored = await saveOnSeen({
        read: () => readUser(user.id),
        isKnown: (now) => drafts.isBase(of, draftOf(now)),
        write: (etag) => updateUser(user.id, bodyOf(draft, mayProtect), etag),
        show
      })
      show(stored)
      drafts.drop()
      setState('saved')
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) {
        setFault(told(error as Error, 'user/update', may, texts))
      }
      setState(undefined)
    }
  }
  return (
    <form
      className="account-form"
      aria-label={account.profile}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Fields {...{ draft, change, people, mayProtect }} mayEdit={may['user/update'] === true} />
      <Meanwhile
        {...{ drafts, of, saved }}
        nameOf={(name) => fieldName(name, { ...account.fields, ...t.fields })}
        textOf={(value, field) =>
          field === 'role'
            ? people.roleName(Number(value))
            : field === 'organisations' && Array.isArray(value)
              ? value.map((id) => people.organizationName(Number(id))).join(', ')
              : undefined
        }
      />
      {fault && <Fault text={fault} />}
      {may['user/update'] ? (
        <Group gap="xs">
          <Button
            type="submit"
            loading={state === 'busy'}
            disabled={!isChanged || draft.organisations.length === 0}
          >
            {account.save}
          </Button>
          {isChanged && (
            <Button variant="default" onClick={drafts.drop}>
              {account.discard}
            </Button>
          )}
          <Text role="status" className="muted">
            {state === 'saved' && !isChanged && account.saved}
          </Text>
        </Group>
      ) : (
        <Text className="muted">{t.mayNotEdit('user/update')}</Text>
      )}
    </form>
  )
}

/** How a field of a draft is called. */
export const fieldName = (
  field: string,
  names: Readonly<Record<string, string>>
): string | undefined => (isMetaField(field) ? keyOf(field) : names[field])
