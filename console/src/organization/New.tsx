import { Button, Group } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useDraftOf } from '../drafts.ts'
import { Fault } from '../modelx/Details.tsx'
import { useTexts } from '../texts/texts.ts'
import { told } from '../user/people.ts'
import { createOrganization, type Organization, show } from './api.ts'
import { bodyOf, drafts, emptyDraft, type OrganizationDraft } from './draft.ts'
import { Fields } from './Fields.tsx'
import type { TreeOf } from './useTree.ts'

type Props = { under: number; tree: TreeOf; made: (organization: Organization) => void }

/** A new organization below another one. */
export function New({ under, tree, made }: Props) {
  const texts = useTexts()
  const { organizations: t } = texts
  const [draft, change] = useDraftOf<OrganizationDraft>(drafts, `new ${under}`, emptyDraft(under))
  const mayProtect = tree.may['organization/edit/protected_meta/all'] === true
  const create = useMutation({
    mutationFn: () => createOrganization(bodyOf(draft, mayProtect)),
    onSuccess: (organization) => {
      drafts.drop()
      show(organization)
      made(organization)
    }
  })
  const isReady = draft.name.trim() !== ''
  return (
    <form
      className="account-form"
      aria-label={t.create}
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) create.mutate()
      }}
    >
      <Fields {...{ draft, change, mayProtect }} parents={tree.parentsFor()} mayEdit />
      {create.error && (
        <Fault text={told(create.error, 'organization/create_delete', tree.may, texts)} />
      )}
      <Group>
        <Button type="submit" disabled={!isReady} loading={create.isPending}>
          {t.createGo}
        </Button>
      </Group>
    </form>
  )
}
