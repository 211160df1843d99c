import { Button, Group, SimpleGrid, Switch, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useDraftOf } from '../drafts.ts'
import { Meanwhile } from '../edit/Meanwhile.tsx'
import { ChangedMeanwhile, saveOnSeen } from '../edit/save.ts'
import { Fault, refusal } from '../modelx/Details.tsx'
import { me, queryClient } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { readMe, type User, updateMe } from './api.ts'
import { bodyOf, drafts, type Profile, profileOf } from './profile.ts'

const OF = 'me'
const texts = ['first_name', 'last_name', 'email', 'mobile'] as const
const places = ['address', 'zip', 'city', 'country'] as const
const completions: Partial<Record<keyof Profile, string>> = {
  ...{ first_name: 'given-name', last_name: 'family-name', email: 'email', mobile: 'tel' },
  ...{ address: 'street-address', zip: 'postal-code', city: 'address-level2' },
  country: 'country-name'
}

/** Name, e-mail, phone and address. */
export function ProfileForm({ user }: { user: User }) {
  const all = useTexts()
  const { account: t } = all
  const saved = profileOf(user)
  const [draft, change] = useDraftOf(drafts, OF, saved)
  const [fault, setFault] = useState('')
  const [state, setState] = useState<'busy' | 'saved'>()
  const show = (now: User) => queryClient.setQueryData(me.queryKey, now)
  const save = async () => {
    setFault('')
    setState('busy')
    try {
      const stored = await saveOnSeen({
        read: readMe,
        isKnown: (now) => drafts.isBase(OF, profileOf(now)),
        write: (etag) => updateMe(bodyOf(draft), etag),
        show
      })
      show(stored)
      drafts.drop()
      setState('saved')
    } catch (error) {
      if (!(error instanceof ChangedMeanwhile)) {
        setFault(refusal(error as Error, 'user/update', all))
      }
      setState(undefined)
    }
  }
  const field = (name: (typeof texts)[number] | (typeof places)[number]) => (
    <TextInput
      key={name}
      label={t.fields[name]}
      type={name === 'email' ? 'email' : 'text'}
      autoComplete={completions[name]}
      required={name === 'email'}
      maxLength={255}
      value={draft[name]}
      onChange={(event) => change({ ...draft, [name]: event.currentTarget.value })}
    />
  )
  return (
    <form
      className="account-form"
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="sm">
        {texts.map(field)}
        {places.map(field)}
      </SimpleGrid>
      <Switch
        label={t.fields.sms_login}
        description={t.smsHelp}
        checked={draft.sms_login}
        onChange={(event) => change({ ...draft, sms_login: event.currentTarget.checked })}
      />
      {(draft.email !== saved.email || draft.mobile !== saved.mobile) && (
        <Text c="var(--warning)">{t.endsOthers}</Text>
      )}
      <Meanwhile
        {...{ drafts, of: OF, saved }}
        nameOf={(name) => t.fields[name as keyof typeof t.fields]}
      />
      {fault && <Fault text={fault} />}
      <Group gap="xs">
        <Button type="submit" loading={state === 'busy'} disabled={!drafts.has()}>
          {t.save}
        </Button>
        {drafts.has() && (
          <Button variant="default" onClick={drafts.drop}>
            {t.discard}
          </Button>
        )}
        <Text role="status" className="muted">
          {state === 'saved' && !drafts.has() && t.saved}
        </Text>
      </Group>
    </form>
  )
}
