import {
  MultiSelect,
  Select,
  SimpleGrid,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput
} from '@mantine/core'
import { useTexts } from '../texts/texts.ts'
import type { UserDraft } from './draft.ts'
import { MetaFields } from './MetaFields.tsx'
import type { People } from './people.ts'

const names = ['first_name', 'last_name', 'email', 'mobile'] as const
const places = ['address', 'zip', 'city', 'country'] as const
const MAX_CHOICES = 100
const MAX_NOTE = 65_536

type Props = {
  draft: UserDraft
  change: (draft: UserDraft) => void
  people: People
  /** Without it the fields are only shown. */
  mayEdit: boolean
  mayProtect: boolean
}

/** Everything about a user that is saved together. */
export function Fields({ draft, change, people, mayEdit, mayProtect }: Props) {
  const { users: t, account } = useTexts()
  const put = (changed: Partial<UserDraft>) => change({ ...draft, ...changed })
  const field = (name: (typeof names)[number] | (typeof places)[number]) => (
    <TextInput
      key={name}
      label={account.fields[name]}
      type={name === 'email' ? 'email' : 'text'}
      autoComplete="off"
      required={name === 'email'}
      readOnly={!mayEdit}
      maxLength={255}
      value={draft[name]}
      onChange={(event) => put({ [name]: event.currentTarget.value })}
    />
  )
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {names.map(field)}
      </SimpleGrid>
      <Belonging {...{ draft, people, mayEdit, put }} />
      <Switch
        label={account.fields.sms_login}
        description={account.smsHelp}
        disabled={!mayEdit}
        checked={draft.sms_login}
        onChange={(event) => put({ sms_login: event.currentTarget.checked })}
      />
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {places.map(field)}
      </SimpleGrid>
      <Textarea
        label={t.fields.note}
        autosize
        maxRows={12}
        maxLength={MAX_NOTE}
        readOnly={!mayEdit}
        value={draft.note}
        onChange={(event) => put({ note: event.currentTarget.value })}
      />
      <MetaFields
        draft={draft}
        change={mayEdit ? (fields) => put(fields) : undefined}
        mayProtect={mayEdit && mayProtect}
      />
    </Stack>
  )
}

type BelongingProps = Pick<Props, 'draft' | 'people' | 'mayEdit'> & {
  put: (changed: Partial<UserDraft>) => void
}

/** Organizations and role. What the caller does not see keeps its number. */
function Belonging({ draft, people, mayEdit, put }: BelongingProps) {
  const { users: t } = useTexts()
  const choices = people.roleChoices(draft.organisations, draft.role)
  const organizations = [...new Set([...people.tree.map(({ id }) => id), ...draft.organisations])]
  if (!mayEdit) {
    return (
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        <Told label={t.fields.role} text={people.roleName(draft.role)} />
        <Told
          label={t.fields.organisations}
          text={draft.organisations.map(people.organizationName).join(', ')}
        />
      </SimpleGrid>
    )
  }
  return (
    <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
      <MultiSelect
        label={t.fields.organisations}
        description={t.organizationsHelp}
        data={organizations.map((id) => ({
          value: String(id),
          label: people.organizationName(id)
        }))}
        value={draft.organisations.map(String)}
        searchable
        required
        limit={MAX_CHOICES}
        error={draft.organisations.length === 0 ? t.organizationNeeded : undefined}
        onChange={(ids) => put({ organisations: ids.map(Number).sort((a, b) => a - b) })}
      />
      <Select
        label={t.fields.role}
        description={t.roleHelp}
        data={choices}
        value={draft.role === 0 ? null : String(draft.role)}
        searchable
        required
        allowDeselect={false}
        limit={MAX_CHOICES}
        onChange={(id) => put({ role: Number(id) })}
      />
    </SimpleGrid>
  )
}

function Told({ label, text }: { label: string; text: string }) {
  return (
    <div>
      <Text fw={500} size="sm">
        {label}
      </Text>
      <Text style={{ overflowWrap: 'anywhere' }}>{text}</Text>
    </div>
  )
}
