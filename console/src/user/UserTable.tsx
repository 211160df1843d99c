import { Badge } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { useRef } from 'react'
import { useNow } from '../clock.ts'
import { useTexts } from '../texts/texts.ts'
import { hasEnded, type Line } from './rows.ts'

export const ROW_PX = 52

/** Only the rows on screen are drawn. */
export function UserTable({ lines }: { lines: readonly Line[] }) {
  const { users: t } = useTexts()
  const body = useRef<HTMLTableSectionElement>(null)
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: () => ROW_PX,
    overscan: 8,
    scrollMargin: body.current?.offsetTop ?? 0
  })
  return (
    <table className="panel live users" aria-rowcount={lines.length + 1}>
      <thead>
        <tr className="line head">
          <th>{t.columns.name}</th>
          <th className="email">{t.columns.email}</th>
          <th className="role">{t.columns.role}</th>
          <th className="organizations">{t.columns.organizations}</th>
        </tr>
      </thead>
      <tbody ref={body} style={{ height: virtual.getTotalSize() }}>
        {virtual.getVirtualItems().map(({ index, start }) => {
          const line = lines[index]
          const top = start - virtual.options.scrollMargin
          return line && <Row key={line.user.id} {...{ line, index, top }} />
        })}
      </tbody>
    </table>
  )
}

type RowProps = { line: Line; index: number; top: number }

function Row({ line: { user, name, role, organizations }, index, top }: RowProps) {
  const { users: t } = useTexts()
  const ended = hasEnded(user, useNow())
  return (
    <tr className="line" aria-rowindex={index + 2} style={{ top, height: ROW_PX }}>
      <td className="name">
        <Link
          from="/users"
          search={(before) => ({ ...before, id: user.id })}
          className="open"
          preload={false}
        >
          {name}
        </Link>
        {ended && (
          <>
            {' '}
            <Badge variant="light" color="red" size="sm">
              {t.isDisabled}
            </Badge>
          </>
        )}
      </td>
      <td className="email muted">{user.email}</td>
      <td className="role">{role}</td>
      <td className="organizations muted">{organizations}</td>
    </tr>
  )
}
