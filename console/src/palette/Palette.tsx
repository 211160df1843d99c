import './palette.css'
import { Modal, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useTexts } from '../texts/texts.ts'
import { type Item, ranked, type Shown } from './items.ts'
import { useChoices } from './useChoices.ts'

const PAUSE_MS = 200
const MAX_TEXT = 200

/**
 * Finds everything that the caller can go to, and what the frame can do. `typed` was written while
 * this code was loading.
 */
export function Palette({ typed, close }: { typed: string; close: () => void }) {
  const { palette: t } = useTexts()
  const [text, setText] = useState(typed)
  const [asked] = useDebouncedValue(text.trim(), PAUSE_MS)
  const { own, found, beforeTyping, isAsking, isFailed, choose } = useChoices(asked)
  const query = text.trim()
  const shown: Shown[] = query === '' ? beforeTyping : ranked(query, own, found)
  const items = shown.flatMap((one) => one.items)
  const [active, setActive] = useState(0)
  const at = Math.min(active, items.length - 1)
  const listId = useId()
  const optionId = (item: Item | undefined) =>
    item && `${listId} ${item.group} ${item.id}`.replaceAll(/\s/g, '_')
  const activeId = optionId(items[at])
  useEffect(() => {
    if (activeId) document.getElementById(activeId)?.scrollIntoView({ block: 'nearest' })
  }, [activeId])
  const pick = (item: Item | undefined) => {
    if (!item) return
    close()
    choose(item)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const steps = { ArrowDown: 1, ArrowUp: -1 }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault()
      setActive((at + steps[event.key] + items.length) % Math.max(1, items.length))
    } else if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      event.preventDefault()
      pick(items[at])
    }
  }
  const isPending = query !== '' && (isAsking || asked !== query)
  return (
    <Modal.Root
      opened
      onClose={close}
      size={620}
      yOffset="10vh"
      zIndex={600}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay />
      <Modal.Content aria-label={t.title} className="palette">
        <TextInput
          variant="unstyled"
          size="md"
          className="ask"
          leftSection={<IconSearch size={18} aria-hidden />}
          placeholder={t.placeholder}
          aria-label={t.title}
          role="combobox"
          aria-expanded={items.length > 0}
          aria-controls={listId}
          aria-activedescendant={activeId}
          aria-autocomplete="list"
          autoComplete="off"
          spellCheck={false}
          maxLength={MAX_TEXT}
          data-autofocus
          autoFocus
          value={text}
          onChange={(event) => {
            setText(event.currentTarget.value)
            setActive(0)
          }}
          onKeyDown={onKeyDown}
        />
        <div className="choices" id={listId} role="listbox" aria-label={t.choices}>
          {shown
            .filter((one) => one.items.length > 0)
            .map(({ group, items: some }) => (
              // biome-ignore lint/a11y/useSemanticElements: a listbox has groups, not fieldsets
              <div key={group} role="group" aria-label={t.groups[group]}>
                <div className="group" aria-hidden>
                  {t.groups[group]}
                </div>
                {some.map((item) => (
                  <Option
                    key={item.id}
                    id={optionId(item)}
                    item={item}
                    isActive={item === items[at]}
                    onPick={() => pick(item)}
                    onPoint={() => setActive(items.indexOf(item))}
                  />
                ))}
              </div>
            ))}
        </div>
        <Text className="note muted" size="xs" role="status">
          {items.length > 0 || query === ''
            ? isFailed
              ? t.failed
              : t.help
            : isPending
              ? t.asking
              : t.nothing(query)}
        </Text>
      </Modal.Content>
    </Modal.Root>
  )
}

type OptionProps = {
  id: string | undefined
  item: Item
  isActive: boolean
  onPick: () => void
  onPoint: () => void
}

function Option({ id, item, isActive, onPick, onPoint }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useFocusableInteractive: the text field keeps the focus
    // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the keys
    <div
      id={id}
      className="choice"
      role="option"
      aria-selected={isActive}
      onClick={onPick}
      onMouseMove={onPoint}
    >
      <span className="label">{item.label}</span>
      {item.hint && <span className="hint muted">{item.hint}</span>}
    </div>
  )
}
