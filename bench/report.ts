import type { Row } from './line.ts'

const { stderr } = process

/** On a terminal each line replaces the one before; elsewhere each is a new line. */
export function progress(text: string): void {
  if (stderr.isTTY) stderr.write(`\r\x1b[K${text.slice(0, (stderr.columns ?? 80) - 1)}`)
  else stderr.write(`${text}\n`)
}

export function endProgress(): void {
  if (stderr.isTTY) stderr.write('\r\x1b[K')
}

const heads = ['line', 'what', 'Caracal', 'floor', 'ratio', 'goal', ''] as const

/** A table that is readable on a terminal and as Markdown. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ line, what, subject, floor, ratio, goal, isMet }) => [
    line,
    what,
    subject,
    floor,
    ratio?.toFixed(2) ?? '',
    goal,
    isMet === undefined ? '' : isMet ? 'met' : 'MISSED'
  ])
  const widths = heads.map((head, column) =>
    Math.max(head.length, ...cells.map((row) => row[column]?.length ?? 0))
  )
  const isNumber = (column: number) => column >= 2 && column <= 4
  const write = (row: readonly string[]) =>
    `| ${row
      .map((cell, column) =>
        isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)
      )
      .join(' | ')} |`
  const rule = `|${widths
    .map((width, column) => '-'.repeat(width + 1) + (isNumber(column) ? ':' : '-'))
    .join('|')}|`
  return [write(heads), rule, ...cells.map(write)].join('\n')
}
