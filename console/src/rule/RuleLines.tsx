import { Badge, Button, Group, Text, TextInput } from '@mantine/core'
import { IconBellOff } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Severity } from '../alarm/Severity.tsx'
import { useAllRows } from '../plot/use-rows.ts'
import { useUnheard } from '../tell/Reach.tsx'
import { useTexts } from '../texts/texts.ts'
import type { AnyRule } from './types.ts'
import { useWords, type Words } from './words.ts'

const PER_PAGE = 100
/** So few are seen without a filter. */
const FEW = 10

type Props = { id: number; list: readonly AnyRule[]; of?: 'organization' }

/** Rules by name. `id` is the installation whose page this is. */
export function RuleLines({ id, list, of }: Props) {
  const { rule: t } = useTexts()
  const words = useWords(useAllRows(id).all)
  const unheard = useUnheard(id)
  const [text, setText] = useState('')
  const [most, setMost] = useState(PER_PAGE)
  const wanted = text.toLowerCase()
  const found = list
    .map((rule) => ({ rule, words: words(rule) }))
    .filter(({ rule: { name, message }, words: { on, when } }) =>
      `${name} ${message} ${on} ${when}`.toLowerCase().includes(wanted)
    )
    .sort((a, b) => a.rule.name.localeCompare(b.rule.name) || a.rule.id - b.rule.id)
  return (
    <>
      {list.length > FEW && (
        <TextInput
          type="search"
          aria-label={t.filter}
          placeholder={t.filter}
          value={text}
          maw={360}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      )}
      {found.length === 0 && <Text className="muted">{t.noneMatch}</Text>}
      <ul className="rules">
        {found.slice(0, most).map(({ rule, words }) => (
          <Line
            key={rule.id}
            {...{ rule, words, of }}
            isUnheard={rule.active && unheard.includes(rule.severity)}
          />
        ))}
      </ul>
      {found.length > most && (
        <Button variant="default" onClick={() => setMost(most + PER_PAGE)}>
          {t.more}
        </Button>
      )}
    </>
  )
}

type LineProps = Pick<Props, 'of'> & { rule: AnyRule; words: Words; isUnheard: boolean }

function Line({ rule, words, of, isUnheard }: LineProps) {
  const { rule: t, tell } = useTexts()
  return (
    <li className="panel rule-line">
      <Link
        from="/installations/$id/rules"
        search={{ id: rule.id, of }}
        className="open"
        preload={false}
      >
        {rule.name || words.on}
      </Link>
      <Group gap="xs">
        {!rule.active && (
          <Badge color="gray" variant="light">
            {t.off}
          </Badge>
        )}
        {isUnheard && (
          <span className="rule-unheard">
            <IconBellOff size={16} aria-hidden />
            {tell.reach.rule}
          </span>
        )}
        <Severity severity={rule.severity} />
      </Group>
      <span className="muted">
        {rule.name && `${words.on}: `}
        {words.when}
      </span>
    </li>
  )
}
