import { Autocomplete, Select, Stack, Text } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { installations, me } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { Answer } from './Answer.tsx'
import { people } from './api.ts'
import { catalogue } from './patterns.ts'

const MOST_SHOWN = 50
const AFTER_TYPING_MS = 300
const NOWHERE = '0'

export type Question = { user?: number; permission?: string; installation?: number }
type Props = { question: Question; set: (question: Question) => void; mayExplain: boolean }

/** Which grant gives somebody a permission, or why none does. */
export function Why({ question, set, mayExplain }: Props) {
  const { roles: t } = useTexts()
  const self = useQuery(me).data
  const all = useQuery({ ...people, enabled: mayExplain }).data ?? []
  const places = useQuery(installations).data ?? []
  const user_id = (mayExplain ? question.user : undefined) ?? self?.id ?? 0
  const known = [...all.filter(({ id }) => id !== self?.id), ...(self ? [self] : [])]
  const isUnknown = user_id > 0 && !known.some(({ id }) => id === user_id)
  const isPlaceUnknown =
    question.installation !== undefined && !places.some(({ id }) => id === question.installation)
  return (
    <div className="why">
      <Stack gap="sm">
        <Select
          label={t.user}
          description={mayExplain ? undefined : t.onlyOwn}
          searchable
          allowDeselect={false}
          disabled={!mayExplain}
          limit={MOST_SHOWN}
          data={[
            ...known.map((one) => ({ value: String(one.id), label: nameOf(one) })),
            ...(isUnknown ? [{ value: String(user_id), label: `id ${user_id}` }] : [])
          ]}
          value={user_id > 0 ? String(user_id) : null}
          onChange={(id) => set({ ...question, user: Number(id) })}
        />
        <Permission
          value={question.permission ?? ''}
          change={(permission) => set({ ...question, permission: permission || undefined })}
        />
        <Select
          label={t.installation}
          description={t.installationHelp}
          searchable
          allowDeselect={false}
          limit={MOST_SHOWN}
          data={[
            { value: NOWHERE, label: t.anywhere },
            ...places.map(({ id, name }) => ({ value: String(id), label: name || String(id) })),
            ...(isPlaceUnknown
              ? [{ value: String(question.installation), label: `id ${question.installation}` }]
              : [])
          ]}
          value={String(question.installation ?? NOWHERE)}
          onChange={(id) => set({ ...question, installation: Number(id) || undefined })}
        />
      </Stack>
      {question.permission ? (
        <Answer
          user={known.find(({ id }) => id === user_id)}
          asked={{
            user_id,
            permission: question.permission,
            installation_id: question.installation
          }}
        />
      ) : (
        <Text className="muted">{t.choose}</Text>
      )}
    </div>
  )
}

type PermissionProps = { value: string; change: (value: string) => void }

/** The address follows when the typing pauses. */
function Permission({ value, change }: PermissionProps) {
  const { roles: t } = useTexts()
  const [text, setText] = useState(value)
  useEffect(() => setText(value), [value])
  useEffect(() => {
    const next = text.trim()
    if (next === value) return
    const timer = setTimeout(() => change(next), AFTER_TYPING_MS)
    return () => clearTimeout(timer)
  }, [text, value, change])
  return (
    <Autocomplete
      label={t.permission}
      description={t.permissionHelp}
      maxLength={1000}
      limit={MOST_SHOWN}
      data={[...catalogue]}
      value={text}
      onChange={setText}
    />
  )
}

/** Two people may have the same name. */
export const nameOf = (user: { first_name: string; last_name: string; email: string }): string => {
  const name = `${user.first_name} ${user.last_name}`.trim()
  return name ? `${name} (${user.email})` : user.email
}
