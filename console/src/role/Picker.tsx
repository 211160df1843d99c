import { Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { withGrant } from './draft.ts'
import { type Action, catalogue, covers, groups, isKnown, isPlain, mayGive } from './patterns.ts'

type Props = {
  grants: readonly string[]
  change: (grants: string[]) => void
  /** What the caller may do: nobody gives more. */
  own: Readonly<Record<string, boolean>>
  isLocked: boolean
}

/** Every name that the platform knows, with what it means. */
export function Picker(props: Props) {
  const { roles: t } = useTexts()
  const [text, setText] = useState('')
  const wanted = text.trim().toLowerCase()
  const matches = (group: string, action: Action) =>
    `${action} ${t.names[action]} ${t.groups[group]}`.toLowerCase().includes(wanted)
  const shown = [...groups].flatMap(([group, actions]) => {
    const found = actions.filter((action) => matches(group, action))
    return found.length > 0 ? [{ group, found }] : []
  })
  return (
    <Stack gap="xs" component="section" aria-label={t.permissions}>
      <Text fw={600}>{t.permissions}</Text>
      <Text className="muted" size="sm">
        {t.scopes}
      </Text>
      <TextInput
        type="search"
        aria-label={t.filterPermissions}
        placeholder={t.filterPermissions}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {shown.length === 0 && <Text className="muted">{t.noPermission}</Text>}
      <div className="panel role-groups">
        {shown.map(({ group, found }) => (
          <Part key={group} {...props} group={group} actions={found} isOpen={wanted !== ''} />
        ))}
      </div>
    </Stack>
  )
}

type PartProps = Props & { group: string; actions: readonly Action[]; isOpen: boolean }

function Part({ group, actions, isOpen, ...props }: PartProps) {
  const { roles: t } = useTexts()
  const [opened, setOpened] = useState(false)
  const names = catalogue.filter((name) => name.split('/')[0] === group)
  const has = names.filter((name) => props.grants.some((grant) => covers(grant, name)))
  const isShown = isOpen || opened
  return (
    <details open={isShown} onToggle={(event) => setOpened(event.currentTarget.open)}>
      <summary>
        <span className="role-group">{t.groups[group]}</span>
        <span className="muted">{t.countOf(has.length, names.length)}</span>
      </summary>
      {isShown && (
        <div className="role-actions">
          {actions.map((action) => (
            <Line key={action} action={action} {...props} />
          ))}
        </div>
      )}
    </details>
  )
}

function Line({ action, ...props }: Props & { action: Action }) {
  const { roles: t } = useTexts()
  return (
    <div className="role-action">
      <div>
        <Text size="sm">{t.names[action]}</Text>
        <span className="topic">{action}</span>
      </div>
      <Group gap="sm" wrap="nowrap">
        {isPlain(action) ? (
          <Tick name={action} {...props} />
        ) : (
          <>
            <Tick name={`${action}/all`} label={t.all} {...props} />
            <Tick name={`${action}/assigned`} label={t.assigned} {...props} />
          </>
        )}
      </Group>
    </div>
  )
}

type TickProps = Props & { name: string; label?: string }

function Tick({ name, label, grants, change, own, isLocked }: TickProps) {
  const { roles: t } = useTexts()
  const isTicked = grants.includes(name)
  const pattern = grants.find((grant) => !isKnown(grant) && covers(grant, name))
  const isBeyond = !isTicked && !mayGive(own, name)
  const why = pattern ? t.covered(pattern) : isBeyond ? t.beyond : undefined
  return (
    <Checkbox
      size="xs"
      title={why}
      aria-label={name}
      label={label}
      checked={isTicked || pattern !== undefined}
      disabled={isLocked || isBeyond || (pattern !== undefined && !isTicked)}
      onChange={(event) => change(withGrant(grants, name, event.currentTarget.checked))}
    />
  )
}
