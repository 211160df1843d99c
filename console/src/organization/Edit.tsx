import { Button, Group, Text } from '@mantine/core'
import { useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { ChangedMeanwhile, saveOnSeen } from '../edit/save.ts'
import { Fault } from '../modelx/Details.tsx'
import { queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { organizationTree } from '../user/api.ts'
import { isMetaField, keyOf } from '../user/meta.ts'
import { told } from '../user/people.ts'
import { type Organization, readOrganization, show, updateOrganization } from './api.ts'
import { bodyOf, draftOf, drafts, type OrganizationDraft } from './draft.ts'
import { Fields } from './Fields.tsx'
import type { TreeOf } from './useTree.ts'

type Props = { organization: Organization; tree: TreeOf }

/** Name, place and the rest of an organization, saved only on what the caller has seen. */
export function Edit({ organization, tree }: Props) {
  const texts = useTexts()
  const { organizations: t, account } = texts
  const { id } = organization
  const of = `organization ${id}`
  const saved = draftOf(organization)
  const [draft, change] = useDraftOf<OrganizationDraft>(drafts, of, saved)
  const [fault, setFault] = useState('')
  const [state, setState] = useState<'busy' | 'saved'>()
  const mayEdit = tree.may['organization/update'] === true
  // What the caller does not see must not be sent back empty.
  const mayProtect =
    tree.may['organization/edit/protected_meta/all'] === true &&
    organization.protected_meta !== undefined
  const isChanged = drafts.baseOf(of) !== undefined
  const save = async () => {
    setFault('')
    setState('busy')
    try {
      const stored = await saveOnSeen({
        read: () => readOrganization(id),
        isKnown: (now) => drafts.isBase(of, draftOf(now)),
        write: (etag) => updateOrganization(id, bodyOf(draft, mayProtect), etag),
        show
      })
      show(stored)
      drafts.drop()
      setState('saved')
      void queryClient.invalidateQueries(organizationTree)
    } catch (error) {
      const isHeld = error instanceof CaracalError && error.status === 409
      if (isHeld) setFault(t.moveRefused)
      else if (!(error instanceof ChangedMeanwhile)) {
        setFault(told(error as Error, 'organization/update', tree.may, texts))
      }
      setState(undefined)
    }
  }
  const names: Readonly<Record<string, string>> = t.fields
  return (
    <form
      className="account-form"
      aria-label={t.details}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Fields
        {...{ draft, change, mayEdit, mayProtect }}
        parents={organization.parent === 0 ? [] : tree.parentsFor(id)}
      />
      <Meanwhile
        {...{ drafts, of, saved }}
        nameOf={(name) => (isMetaField(name) ? keyOf(name) : names[name])}
        textOf={(value, name) => (name === 'parent' ? tree.pathOf(Number(value)) : undefined)}
      />
      {fault && <Fault text={fault} />}
      {mayEdit ? (
        <Group gap="xs">
          <Button
            type="submit"
            loading={state === 'busy'}
            disabled={!isChanged || draft.name.trim() === ''}
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
        <Text className="muted">{texts.users.mayNotEdit('organization/update')}</Text>
      )}
    </form>
  )
}
