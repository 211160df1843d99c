import { Checkbox, UnstyledButton } from '@mantine/core'
import { IconArrowDown, IconArrowUp } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { useTexts } from '../texts/texts.ts'
import type { Kind } from './api.ts'
import { type Column, columns, type Line, type Sort } from './rows.ts'

const ROW_PX = 52

type Props = {
  kind: Kind
  lines: readonly Line[]
  sort: Sort
  setSort: (sort: Sort) => void
  selection: Selection
}

export type Selection = {
  ids: ReadonlySet<number>
  set: (ids: ReadonlySet<number>) => void
}

/** Only the rows on screen are drawn. */
export function ModelTable({ kind, lines, sort, setSort, selection }: Props) {
  const { functions: t } = useTexts()
  const body = useRef<HTMLTableSectionElement>(null)
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => ROW_PX,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0
  })
  return (
    <table className="panel live models" aria-rowcount={lines.length + 1}>
      <thead>
        <tr className="line head">
          <SelectAll lines={lines} selection={selection} />
          {columns.map((column) => (
            <Head
              key={column}
              column={column}
              text={t.columns[kind][column]}
              sort={sort}
              setSort={setSort}
            />
          ))}
        </tr>
      </thead>
      <tbody ref={body} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const line = lines[index]
          const top = start - virtual.options.scrollMargin
          return line && <Row key={line.model.id} {...{ kind, line, index, top, selection }} />
        })}
      </tbody>
    </table>
  )
}

function SelectAll({ lines, selection }: { lines: readonly Line[]; selection: Selection }) {
  const { many: t } = useTexts()
  const count = lines.filter(({ model }) => selection.ids.has(model.id)).length
  const isAll = count === lines.length
  return (
    <th className="select">
      <Checkbox
        size="xs"
        aria-label={t.selectAll}
        checked={isAll}
        indeterminate={count > 0 && !isAll}
        onChange={() => selection.set(new Set(isAll ? [] : lines.map(({ model }) => model.id)))}
      />
    </th>
  )
}

type HeadProps = Pick<Props, 'sort' | 'setSort'> & { column: Column; text: string }

function Head({ column, text, sort, setSort }: HeadProps) {
  const isSorted = sort.column === column
  const Arrow = sort.isDown ? IconArrowDown : IconArrowUp
  return (
    <th
      className={column}
      aria-sort={isSorted ? (sort.isDown ? 'descending' : 'ascending') : 'none'}
    >
      <UnstyledButton
        className="sort"
        onClick={() => setSort({ column, isDown: isSorted && !sort.isDown })}
      >
        {text}
        {isSorted && <Arrow size={12} aria-hidden />}
      </UnstyledButton>
    </th>
  )
}

type RowProps = Pick<Props, 'kind' | 'selection'> & { line: Line; index: number; top: number }

function Row({ kind, line, index, top, selection }: RowProps) {
  const { functions: t, many } = useTexts()
  const { model, name, room, device, topic, keys } = line
  const { topic_read, topic_write } = model.meta
  return (
    <tr className="line" aria-rowindex={index + 2} style={{ top, height: ROW_PX }}>
      <td className="select">
        <Checkbox
          size="xs"
          aria-label={many.select(name)}
          checked={selection.ids.has(model.id)}
          onChange={() => selection.set(toggled(selection.ids, model.id))}
        />
      </td>
      <td className="name">
        <Link
          from="/installations/$id/functions"
          search={(before) => ({ ...before, id: model.id })}
          className="open"
          preload={false}
        >
          {name}
        </Link>
      </td>
      <td className="type muted">{model.type}</td>
      <td className="room">{room}</td>
      <td className="device">{kind === 'functions' ? device : t.functionCount(Number(device))}</td>
      <td className="topic names">
        {kind === 'functions' ? (
          <>
            <span className="topic">{topic_read}</span>
            {topic_write && (
              <span className="topic" title={t.writes}>
                → {topic_write}
              </span>
            )}
          </>
        ) : (
          <span className="topic">{topic}</span>
        )}
      </td>
      <td className="keys number muted">{keys}</td>
    </tr>
  )
}

function toggled(ids: ReadonlySet<number>, id: number): ReadonlySet<number> {
  const next = new Set(ids)
  if (!next.delete(id)) next.add(id)
  return next
}
