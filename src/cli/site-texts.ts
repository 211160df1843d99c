import type { LeftBehind } from '../site/left-behind.ts'
import { printable } from './printable.ts'

/** What a file of a site has, in the order in which it is told. */
const words: readonly (readonly [name: string, one: string, many: string])[] = [
  ['device', 'device', 'devices'],
  ['function', 'function', 'functions'],
  ['schedule', 'schedule', 'schedules'],
  ['message', 'notification message', 'notification messages'],
  ['output', 'notification output', 'notification outputs'],
  ['instance', 'edge app', 'edge apps'],
  ['board', 'board', 'boards'],
  ['mapping', 'mapping', 'mappings'],
  ['rule', 'rule', 'rules'],
  ['blacklist', 'blacklist entry', 'blacklist entries'],
  ['file', 'file', 'files'],
  ['sample', 'value', 'values']
]

export function countsText(counts: Readonly<Record<string, number>>): string {
  const texts = words.flatMap(([name, one, many]) => {
    const count = counts[name] ?? 0
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`]
  })
  return texts.length === 0 ? 'it is empty' : texts.join(', ')
}

export const leftBehindLines = (left: readonly LeftBehind[]): string[] =>
  left.length === 0
    ? []
    : [
        'left behind:',
        ...left.flatMap(({ what, count, names, why }) => [
          printable(`  ${count} ${what}: ${why}`),
          ...names.map((name) => printable(`    ${name}`)),
          ...(names.length > 0 && names.length < count ? ['    ...'] : [])
        ])
      ]
