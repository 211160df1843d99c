import type { Budget } from './budget.ts'
import { TemplateError } from './fault.ts'
import { functionNames } from './functions.ts'
import { numberOf } from './literal.ts'
import type { Command, Node, Operand, Pipe } from './nodes.ts'
import { scan, type TemplateToken } from './scanner.ts'

/** How deep blocks and parentheses may be nested. */
const MAX_DEPTH = 200
/** How many variables may exist at once; each use searches through them. */
const MAX_VARIABLES = 200

type Ending = 'end' | 'else'

/** [Go text/template] Parses a template; `define`, `template` and `block` are not supported. */
export function parseNodes(source: string, budget: Budget): Node[] {
  return new Parser(scan(source, budget)).template()
}

class Parser {
  readonly #tokens: readonly TemplateToken[]
  #at = 0
  #depth = 0
  #loops = 0
  #variables: string[] = ['']

  constructor(tokens: readonly TemplateToken[]) {
    this.#tokens = tokens
  }

  template(): Node[] {
    const { nodes, ending } = this.#list()
    if (ending) this.#fail(`unexpected {{${ending}}}`)
    return nodes
  }

  get #token(): TemplateToken {
    const token = this.#tokens[this.#at]
    if (!token) throw new TemplateError('the template has no end')
    return token
  }

  #next(): TemplateToken {
    const token = this.#token
    if (token.kind !== 'end') this.#at++
    return token
  }

  #fail(what: string): never {
    throw new TemplateError(`line ${this.#token.line}: ${what}`)
  }

  #unexpected(where: string): never {
    const { kind, text } = this.#token
    this.#fail(`unexpected ${kind === 'end' ? 'end' : JSON.stringify(text)} in ${where}`)
  }

  #isMark(text: string): boolean {
    return this.#token.kind === 'mark' && this.#token.text === text
  }

  #isName(text: string): boolean {
    return this.#token.kind === 'name' && this.#token.text === text
  }

  #close(where: string): void {
    if (this.#token.kind !== 'close') this.#unexpected(where)
    this.#at++
  }

  /** Runs `work` one level deeper; its variables end with it. */
  #inside<T>(work: () => T): T {
    if (++this.#depth > MAX_DEPTH) this.#fail(`nested more than ${MAX_DEPTH} levels deep`)
    const known = this.#variables.length
    const result = work()
    this.#variables.length = known
    this.#depth--
    return result
  }

  /**
   * Reads up to `{{end` or `{{else`, without the closing braces, or up to the end of the template.
   */
  #list(): { nodes: Node[]; ending: Ending | undefined } {
    const nodes: Node[] = []
    for (;;) {
      const { kind, text } = this.#next()
      if (kind === 'end') return { nodes, ending: undefined }
      if (kind === 'text') {
        nodes.push({ kind: 'text', text })
        continue
      }
      const word = this.#token.kind === 'name' ? this.#token.text : ''
      if (word === 'end' || word === 'else') {
        this.#at++
        return { nodes, ending: word }
      }
      nodes.push(this.#action(word))
    }
  }

  #action(word: string): Node {
    if (word === 'if' || word === 'with' || word === 'range') {
      this.#at++
      return this.#inside(() => this.#block(word))
    }
    if (word === 'break' || word === 'continue') {
      if (this.#loops === 0) this.#fail(`{{${word}}} outside {{range}}`)
      this.#at++
      this.#close(word)
      return { kind: word }
    }
    if (['define', 'template', 'block'].includes(word)) this.#fail(`{{${word}}} is not supported`)
    const pipe = this.#pipe('an action', 1)
    this.#close('an action')
    return { kind: 'action', pipe }
  }

  #block(kind: 'if' | 'with' | 'range'): Node {
    const pipe = this.#pipe(kind, kind === 'range' ? 2 : 1)
    this.#close(kind)
    if (kind === 'range') this.#loops++
    const { nodes: body, ending } = this.#inside(() => this.#list())
    if (kind === 'range') this.#loops--
    if (!ending) this.#fail(`{{${kind}}} has no {{end}}`)
    const otherwise = ending === 'else' ? this.#inside(() => this.#otherwise(kind)) : []
    if (ending === 'end') this.#close('{{end}}')
    return { kind, pipe, body, otherwise }
  }

  #otherwise(kind: 'if' | 'with' | 'range'): Node[] {
    // `{{else if}}` and the block before it share one `{{end}}`.
    if (kind !== 'range' && this.#isName(kind)) {
      this.#at++
      return [this.#block(kind)]
    }
    this.#close('{{else}}')
    const { nodes, ending } = this.#list()
    if (ending === 'else') this.#fail('{{else}} after {{else}}')
    if (!ending) this.#fail(`{{${kind}}} has no {{end}}`)
    this.#close('{{end}}')
    return nodes
  }

  #pipe(where: string, maxVariables: number): Pipe {
    const { line } = this.#token
    const { variables, isAssigned } = this.#variablesOf(maxVariables)
    const commands = [this.#command(where)]
    while (this.#isMark('|')) {
      this.#at++
      commands.push(this.#command(where))
    }
    for (const [first] of commands.slice(1)) {
      if (!['function', 'field', 'variable', 'pipe'].includes(first.kind)) {
        this.#fail('what follows | must be a function')
      }
    }
    if (isAssigned) for (const name of variables) this.#known(name)
    else this.#variables.push(...variables)
    if (this.#variables.length > MAX_VARIABLES) this.#fail(`more than ${MAX_VARIABLES} variables`)
    return { variables, isAssigned, commands, line }
  }

  /** `$x :=`, `$x =`, or `$i, $x :=`, before a pipeline. */
  #variablesOf(most: number): { variables: string[]; isAssigned: boolean } {
    const start = this.#at
    const variables: string[] = []
    while (this.#token.kind === 'variable') {
      variables.push(this.#next().text)
      if (this.#isMark(':=') || this.#isMark('=')) {
        const isAssigned = this.#next().text === '='
        if (variables.length > most) this.#fail(`at most ${most} variables here`)
        if (variables.includes('')) this.#fail('$ cannot be set')
        return { variables, isAssigned }
      }
      if (!this.#isMark(',')) break
      this.#at++
    }
    this.#at = start
    return { variables: [], isAssigned: false }
  }

  #command(where: string): Command {
    const first = this.#operand(where)
    const more: Operand[] = []
    for (;;) {
      const { kind, isSpaced } = this.#token
      if (kind === 'close' || this.#isMark('|') || this.#isMark(')')) return [first, ...more]
      if (!isSpaced) this.#unexpected(where)
      more.push(this.#operand(where))
    }
  }

  #operand(where: string): Operand {
    const { kind, text } = this.#token
    if (this.#isMark('(')) {
      this.#at++
      const pipe = this.#inside(() => this.#pipe('parentheses', 0))
      if (!this.#isMark(')')) this.#unexpected('parentheses')
      this.#at++
      return { kind: 'pipe', pipe, names: this.#fields() }
    }
    switch (kind) {
      case 'dot':
        this.#at++
        return { kind: 'dot' }
      case 'field':
        this.#at++
        return { kind: 'field', names: [text, ...this.#fields()] }
      case 'variable':
        this.#known(text)
        this.#at++
        return { kind: 'variable', name: text, names: this.#fields() }
      case 'string':
        this.#at++
        return { kind: 'constant', value: text }
      case 'number': {
        const value = numberOf(text)
        if (value === undefined) this.#fail(`${text} is not a number`)
        this.#at++
        return { kind: 'constant', value }
      }
      case 'name':
        return this.#word(text)
      default:
        return this.#unexpected(where)
    }
  }

  #word(text: string): Operand {
    if (text === 'true' || text === 'false') {
      this.#at++
      return { kind: 'constant', value: text === 'true' }
    }
    if (text === 'nil') {
      this.#at++
      return { kind: 'nil' }
    }
    if (!functionNames.has(text)) this.#fail(`there is no function ${text}`)
    this.#at++
    return { kind: 'function', name: text }
  }

  /** Reads `.x.y` directly after an operand. */
  #fields(): string[] {
    const names: string[] = []
    while (this.#token.kind === 'field' && !this.#token.isSpaced) names.push(this.#next().text)
    return names
  }

  #known(name: string): void {
    if (!this.#variables.includes(name)) this.#fail(`there is no variable $${name}`)
  }
}
