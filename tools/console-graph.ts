import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A declaration at the top of a file of the console: its text, and what it uses. */
type Declaration = { text: string; uses: Set<string> }

const root = new URL('..', import.meta.url)
const START =
  /^(?:export )?(?:default )?(?:async )?(?:const|let|function|class) (?:(\w+)|\{([^}]*)\})/gm
const IMPORT = /^import (?!type )(?:([\w$]+)(?:, )?)?(?:\{([^}]*)\})? ?from '(\.[^']+)'/gm
/** A page, or a part of one that is loaded when it is opened. */
const LAZY = /import\('(\.[^']+)'\)(?:, '(\w+)')?/g
const COMMENT = /^\s*\/?\*.*$|^\s*\/\/.*$/gm

/** Every declaration of the console by `file name`. */
export function declarationsOfConsole(): Map<string, Declaration> {
  const found = new Map<string, Declaration>()
  for (const file of globSync('console/src/**/*.{ts,tsx}', { cwd: root })) readFile(file, found)
  return found
}

function readFile(file: string, found: Map<string, Declaration>): void {
  const text = readFileSync(new URL(file, root), 'utf8').replaceAll(COMMENT, '')
  const names = importsOf(file, text)
  const starts = [...text.matchAll(START)]
  const own = starts.map(([, name, several = '']) => (name ? [name] : localNames(several)))
  for (const name of own.flat()) names.set(name, `${file} ${name}`)
  for (const [i, start] of starts.entries()) {
    const body = text.slice(start.index, starts[i + 1]?.index)
    const uses = new Set<string>()
    for (const [word] of body.matchAll(/[\w$]+/g)) {
      const used = names.get(word)
      if (used) uses.add(used)
    }
    for (const [, from = '', name = '*'] of body.matchAll(LAZY)) {
      uses.add(`${pathOf(file, from)} ${name}`)
    }
    for (const name of own[i] ?? []) found.set(`${file} ${name}`, { text: body, uses })
  }
}

/** What the names in a file stand for. */
function importsOf(file: string, text: string): Map<string, string> {
  const names = new Map<string, string>()
  for (const [, , several = '', from = ''] of text.matchAll(IMPORT)) {
    for (const part of several.split(',')) {
      const [name = '', local = name] = part.trim().split(' as ')
      if (name !== '' && !name.startsWith('type '))
        names.set(local, `${pathOf(file, from)} ${name}`)
    }
  }
  return names
}

const localNames = (several: string): string[] =>
  several.split(',').map((part) => part.trim().split(': ').at(-1) ?? '')

const pathOf = (file: string, from: string): string => join(dirname(file), from)

/** Everything that the declarations use, also by others. `stop` is not entered. */
export function reachable(
  declarations: ReadonlyMap<string, Declaration>,
  from: readonly string[],
  stop: (name: string) => boolean
): Set<string> {
  const seen = new Set<string>()
  const open = [...from]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    if (name.endsWith(' *')) open.push(...namesIn(declarations, name.slice(0, -1)))
    for (const used of declarations.get(name)?.uses ?? []) if (!stop(used)) open.push(used)
  }
  return seen
}

const namesIn = (declarations: ReadonlyMap<string, Declaration>, file: string): string[] =>
  [...declarations.keys()].filter((name) => name.startsWith(file))
