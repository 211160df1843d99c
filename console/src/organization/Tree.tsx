import { ActionIcon, Button, Text } from '@mantine/core'
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { type Branch, sizeOf } from './tree.ts'

const OPEN_LEVELS = 2
const MAX_CHILDREN = 100

export type Counts = ReadonlyMap<number, number>

type Props = {
  branches: readonly Branch[]
  /** What is in each organization and below it. Undefined: the caller does not see it. */
  installations: Counts | undefined
  users: Counts | undefined
  /** Everything is open while the caller searches. */
  isOpen: boolean
  level?: number
}

/** Organizations, and those below each as a list in the list. */
export function Tree({ branches, level = 0, ...rest }: Props) {
  const { organizations: t } = useTexts()
  const [isAll, setAll] = useState(false)
  const shown = isAll ? branches : branches.slice(0, MAX_CHILDREN)
  return (
    <ul className="tree">
      {shown.map((branch) => (
        <Item key={branch.id} branch={branch} level={level} {...rest} />
      ))}
      {shown.length < branches.length && (
        <li>
          <Button variant="subtle" size="compact-sm" onClick={() => setAll(true)}>
            {t.showAll(branches.length)}
          </Button>
        </li>
      )}
    </ul>
  )
}

type ItemProps = Omit<Props, 'branches' | 'level'> & { branch: Branch; level: number }

function Item({ branch, level, ...rest }: ItemProps) {
  const { organizations: t, installations: of, users: people } = useTexts()
  const { installations, users, isOpen } = rest
  const { id, name, children } = branch
  const [chosen, setChosen] = useState<boolean>()
  const isShown = isOpen || (chosen ?? level < OPEN_LEVELS - 1)
  const below = sizeOf(branch)
  const [sites, members] = [installations?.get(id) ?? 0, users?.get(id) ?? 0]
  const Arrow = isShown ? IconChevronDown : IconChevronRight
  return (
    <li>
      <div className="branch">
        {children.length > 0 ? (
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-expanded={isShown}
            aria-label={t.below(name)}
            disabled={isOpen}
            onClick={() => setChosen(!isShown)}
          >
            <Arrow size={16} />
          </ActionIcon>
        ) : (
          <span />
        )}
        <Link
          className="open"
          from="/organizations"
          search={(before) => ({ ...before, id, under: undefined })}
          preload={false}
        >
          {name}
        </Link>
        <Text className="muted counts" component="span" size="sm">
          {[
            isShown || below === 0 ? '' : t.belowCount(below),
            sites === 0 ? '' : of.count(sites),
            members === 0 ? '' : people.count(members)
          ]
            .filter(Boolean)
            .join(' · ')}
        </Text>
      </div>
      {isShown && children.length > 0 && <Tree branches={children} level={level + 1} {...rest} />}
    </li>
  )
}
