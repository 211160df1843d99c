import { ActionIcon, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { installations } from '../queries.ts'
import { useTexts } from '../texts/texts.ts'
import { withGrant } from './draft.ts'
import { coveredBy, isKnown, isPattern, mayGive, scopedTo } from './patterns.ts'

const MOST_NAMED = 8

type Props = {
  grants: readonly string[]
  change: (grants: string[]) => void
  own: Readonly<Record<string, boolean>>
  isLocked: boolean
}

/** Grants that are no names of the platform, with what each covers. */
export function Patterns({ grants, change, own, isLocked }: Props) {
  const { roles: t } = useTexts()
  const words = useCover()
  const patterns = grants.filter((one) => !isKnown(one))
  return (
    <Stack gap="xs" component="section" aria-label={t.patterns}>
      <Text fw={600}>{t.patterns}</Text>
      {!isLocked && (
        <Text className="muted" size="sm">
          {t.patternsHelp}
        </Text>
      )}
      {patterns.length > 0 && (
        <ul className="entries">
          {patterns.map((pattern) => (
            <li key={pattern} className="role-pattern">
              <div>
                <code>{pattern}</code>
                <Text className="muted" size="sm">
                  {words(pattern)}
                </Text>
              </div>
              {!isLocked && (
                <ActionIcon
                  variant="subtle"
                  color="gray"
                  aria-label={t.removePattern(pattern)}
                  onClick={() => change(withGrant(grants, pattern, false))}
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              )}
            </li>
          ))}
        </ul>
      )}
      {!isLocked && <Add {...{ grants, change, own, words }} />}
    </Stack>
  )
}

type AddProps = Omit<Props, 'isLocked'> & { words: (pattern: string) => string }

function Add({ grants, change, own, words }: AddProps) {
  const { roles: t } = useTexts()
  const [text, setText] = useState('')
  const pattern = text.trim()
  const fault =
    pattern === ''
      ? undefined
      : !isPattern(pattern)
        ? t.patternWrong
        : grants.includes(pattern)
          ? t.patternThere
          : mayGive(own, pattern)
            ? undefined
            : t.beyond
  const add = () => {
    if (pattern === '' || fault) return
    change(withGrant(grants, pattern, true))
    setText('')
  }
  return (
    <div>
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <TextInput
          label={t.pattern}
          placeholder="functionx/#"
          autoComplete="off"
          spellCheck={false}
          maxLength={1000}
          style={{ flex: 1 }}
          value={text}
          error={fault !== undefined}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            // Enter adds the pattern, and does not save the role.
            event.preventDefault()
            add()
          }}
        />
        <Button variant="default" disabled={pattern === '' || fault !== undefined} onClick={add}>
          {t.addPattern}
        </Button>
      </Group>
      <Text size="sm" mt={4} c={fault ? 'var(--bad)' : undefined} className={fault ? '' : 'muted'}>
        {fault ?? (pattern === '' ? '' : words(pattern))}
      </Text>
    </div>
  )
}

/** Says what a pattern covers. */
function useCover(): (pattern: string) => string {
  const { roles: t } = useTexts()
  const { data = [] } = useQuery(installations)
  return (pattern) => {
    const scoped = scopedTo(pattern)
    const id = scoped?.installation_id
    const name = data.find((one) => one.id === id)?.name ?? String(id)
    const where = scoped ? ` ${t.onInstallation(name)}` : ''
    if ((scoped?.rest ?? pattern) === '#') return `${t.coversAll}${where}`
    const names = coveredBy(pattern)
    if (names.length === 0) return `${t.coversNone}${where}`
    const more = names.length - MOST_NAMED
    const shown = [...names.slice(0, MOST_NAMED), ...(more > 0 ? [t.andMore(more)] : [])]
    return `${t.coversSome(shown.join(', '))}${where}`
  }
}
