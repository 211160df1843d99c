import { Select, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import { MetaFields } from '../user/MetaFields.tsx'
import type { OrganizationDraft } from './draft.ts'

const places = ['address', 'zip', 'city', 'country'] as const
const MAX_CHOICES = 100
const MAX_TEXT = 65_536

export type ParentChoice = { value: string; label: string }

type Props = {
  draft: OrganizationDraft
  change: (draft: OrganizationDraft) => void
  /** Where it may be. Empty: it stays where it is. */
  parents: ParentChoice[]
  /** Without it the fields are only shown. */
  mayEdit: boolean
  mayProtect: boolean
}

/** Everything about an organization that is saved together. */
export function Fields({ draft, change, parents, mayEdit, mayProtect }: Props) {
  const { organizations: t } = useTexts()
  const put = (changed: Partial<OrganizationDraft>) => change({ ...draft, ...changed })
  const field = (name: 'name' | 'email' | 'phone' | (typeof places)[number]) => (
    <TextInput
      key={name}
      label={t.fields[name]}
      autoComplete="off"
      required={name === 'name'}
      readOnly={!mayEdit}
      maxLength={name === 'name' ? 255 : MAX_TEXT}
      value={draft[name]}
      onChange={(event) => put({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <Stack gap="sm">
      {field('name')}
      {mayEdit && parents.length > 0 ? (
        <Select
          label={t.fields.parent}
          description={t.parentHelp}
          data={parents}
          value={String(draft.parent)}
          searchable
          allowDeselect={false}
          limit={MAX_CHOICES}
          onChange={(id) => put({ parent: Number(id) })}
        />
      ) : (
        draft.parent === 0 && <Text className="muted">{t.topmost}</Text>
      )}
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {field('email')}
        {field('phone')}
        {places.map(field)}
      </SimpleGrid>
      <Switch
        label={t.fields.force_sms_login}
        description={t.smsHelp}
        disabled={!mayEdit}
        checked={draft.force_sms_login}
        onChange={(event) => put({ force_sms_login: event.currentTarget.checked })}
      />
      <Textarea
        label={t.fields.notes}
        autosize
        maxRows={12}
        maxLength={MAX_TEXT}
        readOnly={!mayEdit}
        value={draft.notes}
        onChange={(event) => put({ notes: event.currentTarget.value })}
      />
      <MetaFields
        draft={draft}
        change={mayEdit ? (fields) => put(fields) : undefined}
        mayProtect={mayEdit && mayProtect}
      />
    </Stack>
  )
}
