import { Button, Checkbox, Group, Modal, Stack, Text, TextInput } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { CaracalError } from '../../../tools/client/client.ts'
import { Fault } from '../modelx/Details.tsx'
import { installations, queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { organizationTree, users } from '../user/api.ts'
import { told } from '../user/people.ts'
import { deleteOrganization, type Organization } from './api.ts'
import { drafts } from './draft.ts'
import type { TreeOf } from './useTree.ts'

const MAX_NAMES = 5

type Props = { organization: Organization; tree: TreeOf; deleted: () => void }

/** Asks before an organization is deleted. What is in it goes only if the caller says so. */
export function Delete({ organization, tree, deleted }: Props) {
  const { organizations: t } = useTexts()
  const [isAsking, setAsking] = useState(false)
  return (
    <>
      <Group>
        <Button
          variant="outline"
          color="red"
          c="var(--bad)"
          leftSection={<IconTrash size={14} aria-hidden />}
          onClick={() => setAsking(true)}
        >
          {t.delete}
        </Button>
      </Group>
      <Modal
        opened={isAsking}
        onClose={() => setAsking(false)}
        title={t.deleteTitle(organization.name)}
        closeButtonProps={{ 'aria-label': t.keep }}
        zIndex={300}
        centered
      >
        <Question {...{ organization, tree, deleted }} stay={() => setAsking(false)} />
      </Modal>
    </>
  )
}

function Question({ organization, tree, deleted, stay }: Props & { stay: () => void }) {
  const texts = useTexts()
  const { organizations: t } = texts
  const { id, name } = organization
  const [isAll, setAll] = useState(false)
  const [typed, setTyped] = useState('')
  const inside = tree.inside(id)
  const remove = useMutation({
    mutationFn: () => deleteOrganization(id, isAll),
    onSuccess: async () => {
      drafts.drop()
      deleted()
      for (const one of [organizationTree, users, installations])
        await queryClient.invalidateQueries({ queryKey: one.queryKey })
    }
  })
  // What else is in it, such as files and roles, the platform says.
  const isRefused = remove.error instanceof CaracalError && remove.error.status === 400
  const isFull = inside.organizations + inside.installations.length + inside.members > 0
  const isReady = isFull ? isAll && typed === name : !isAll || typed === name
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) remove.mutate()
      }}
    >
      <Stack>
        {isFull ? <Contents {...{ inside }} /> : <Text>{t.deleteEmpty}</Text>}
        {remove.error && (
          <Fault text={told(remove.error, 'organization/create_delete', tree.may, texts)} />
        )}
        {(isFull || isRefused || isAll) && (
          <>
            <Checkbox
              label={t.deleteAll}
              description={t.deleteAllHelp}
              checked={isAll}
              onChange={(event) => setAll(event.currentTarget.checked)}
            />
            {isAll && (
              <TextInput
                label={t.typeName(name)}
                autoComplete="off"
                value={typed}
                onChange={(event) => setTyped(event.currentTarget.value)}
              />
            )}
          </>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={stay} data-autofocus>
            {t.keep}
          </Button>
          <Button type="submit" color="red" disabled={!isReady} loading={remove.isPending}>
            {t.deleteGo}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

/** What goes, by name as far as there is room. */
function Contents({ inside }: { inside: ReturnType<TreeOf['inside']> }) {
  const { organizations: t, installations: of } = useTexts()
  const names = inside.installations.slice(0, MAX_NAMES).map(({ name }) => name)
  const more = inside.installations.length - names.length
  return (
    <div>
      <Text>{t.deleteFull}</Text>
      <ul>
        {inside.organizations > 0 && <li>{t.belowCount(inside.organizations)}</li>}
        {names.length > 0 && (
          <li style={{ overflowWrap: 'anywhere' }}>
            {of.count(inside.installations.length)}: {names.join(', ')} {more > 0 && t.more(more)}
          </li>
        )}
        {inside.members > 0 && <li>{t.members(inside.members, inside.onlyThere)}</li>}
      </ul>
    </div>
  )
}
