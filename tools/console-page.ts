import { declarationsOfConsole, reachable } from './console-graph.ts'
import { withoutPage } from './console-without.ts'

export type Operation = { operationId: string; method: string; path: string }

const ROUTER = 'console/src/router.tsx'
const INSTALLATION = '/installations/$id'
/** `caracal.put('/api/...'` and `caracal.raw('POST', '/api/...'`, also over several lines. */
const CALL =
  /\.(get|post|put|delete|tagged|raw)\((?:\s*'(\w+)',)?|['"`](\/(?:api|health|metrics)[^'"`\s]*)['"`]|fetch\(|beginSignIn\(/g

const METHODS: readonly string[] = ['get', 'put', 'post', 'delete']

/** Of the API description. */
export function operationsIn(document: string): Operation[] {
  const { paths } = JSON.parse(document) as {
    paths: Record<string, Record<string, { operationId: string }>>
  }
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => METHODS.includes(method))
      .map(([method, { operationId }]) => ({ operationId, method, path }))
  )
}

/** Which page of the console uses which operation of the API: addresses by operation. */
export function usesOfConsole(operations: readonly Operation[]): Map<string, string[]> {
  const declarations = declarationsOfConsole()
  const constants = new Map<string, string>()
  for (const [name, { text }] of declarations) {
    const [, path] = /^const \w+ = '(\/api\/[^']*)'\s*$/.exec(text.trim()) ?? []
    if (path) constants.set(name.split(' ')[1] ?? '', path)
  }
  const uses = new Map<string, string[]>()
  for (const { address, reached } of routesOf(declarations)) {
    for (const name of reached) {
      const text = declarations.get(name)?.text ?? ''
      for (const call of callsIn(text, constants)) {
        const { operationId } = operationOf(operations, call, name)
        const known = uses.get(operationId) ?? []
        if (!known.includes(address)) uses.set(operationId, [...known, address])
      }
    }
  }
  return uses
}

type Call = { method: string; path: string }

/** A path belongs to the call before it. */
function callsIn(text: string, constants: ReadonlyMap<string, string>): Call[] {
  const written = text.replaceAll(/\b[A-Z][A-Z_]+\b/g, (name) => {
    const path = constants.get(name)
    return path ? `'${path}'` : name
  })
  const calls: Call[] = []
  let method: string | undefined
  for (const [found, called, verb, path] of written.matchAll(CALL)) {
    if (found === 'fetch(') method = 'get'
    else if (found === 'beginSignIn(') calls.push({ method: 'post', path: '/api/v2/auth' })
    else if (called)
      method = called === 'raw' ? verb?.toLowerCase() : called.replace('tagged', 'get')
    else if (path && method) calls.push({ method, path })
  }
  return calls
}

const shapeOf = (path: string): string => path.replace(/\?.*/, '').replaceAll(/\$?\{[^}]*\}/g, '{}')

function operationOf(operations: readonly Operation[], { method, path }: Call, where: string) {
  const found = operations.find(
    (one) => one.method === method && shapeOf(one.path) === shapeOf(path)
  )
  if (!found) throw new Error(`${where} calls ${method} ${path}, which the API does not have`)
  return found
}

type Declarations = ReturnType<typeof declarationsOfConsole>
type Page = { address: string; reached: Set<string> }

/** The routes of the console with all that their pages use. What is around a page is a page too. */
function routesOf(declarations: Declarations): Page[] {
  const routes = [...declarations].filter(
    ([name, { text }]) => name.startsWith(ROUTER) && text.includes('createRoute({')
  )
  const isRoute = (name: string) => name.startsWith(ROUTER)
  return routes.map(([name, { text }]) => ({
    address: addressOf(text, declarations),
    reached: reachable(declarations, [name], isRoute)
  }))
}

function addressOf(text: string, declarations: Declarations): string {
  const [, parent = ''] = /getParentRoute: \(\) => (\w+)/.exec(text) ?? []
  const [, path = ''] = /\bpath: '([^']*)'/.exec(text) ?? []
  const above = declarations.get(`${ROUTER} ${parent}`)?.text ?? ''
  return (above.includes('createRoute({') ? addressOf(above, declarations) : '') + path
}

/** `docs/console.md`. */
export function consolePage(mark: string, operations: readonly Operation[]): string {
  const uses = usesOfConsole(operations)
  const rows = operations.map(({ operationId, method, path }) => {
    const pages = uses.get(operationId)
    const where = pages ? pagesText(pages) : (withoutPage.get(operationId) ?? 'no page yet')
    return `| \`${method.toUpperCase()} ${path}\` | ${where} |`
  })
  return [
    mark,
    '',
    '# Pages of the console',
    '',
    'Which page uses which operation of the API. What is around every page (search, alarms, account) is "every page".',
    '',
    '| Operation | Page, or why there is none |',
    '| --- | --- |',
    ...rows,
    ''
  ].join('\n')
}

function pagesText(pages: readonly string[]): string {
  if (pages.includes('')) return 'every page'
  const isHere = pages.includes(INSTALLATION)
  const others = pages.filter((page) => !(isHere && page.startsWith(INSTALLATION)))
  return [
    ...(isHere ? ['every page of an installation'] : []),
    ...others.map((page) => `\`${page.replace('$id', '{id}')}\``)
  ].join(', ')
}
