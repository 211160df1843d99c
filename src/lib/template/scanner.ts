import type { Budget } from './budget.ts'
import { TemplateError } from './fault.ts'
import { quotedText, rawText, runeOf } from './literal.ts'

export type TemplateToken = {
  kind:
    | 'text'
    | 'open'
    | 'close'
    | 'name'
    | 'field'
    | 'variable'
    | 'dot'
    | 'number'
    | 'string'
    | 'mark'
    | 'end'
  /** The text without quotes, dots and dollar signs. */
  text: string
  /** Whether there is white space before it, inside an action. */
  isSpaced: boolean
  line: number
}

/** Steps to find and parse a token. */
const STEPS_PER_TOKEN = 2

const SPACE = /[ \t\r\n]/
const COMMENT = /\/\*.*?\*\//sy
const NUMBER =
  /[+-]?(?:0[xX][\da-fA-F_]+|0[oO][0-7_]+|0[bB][01_]+|(?:\d[\d_]*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)/y
const NAME = /[\p{L}_][\p{L}\p{Nd}_]*/uy
const MARK = /:=|[=|(),]/y

/**
 * [Go text/template] The tokens of a template in order; trim markers are applied, comments removed.
 */
export const scan = (source: string, budget: Budget): TemplateToken[] =>
  new Scanner(source, budget).tokens()

class Scanner {
  readonly #source: string
  readonly #budget: Budget
  readonly #tokens: TemplateToken[] = []
  #at = 0
  #line = 1
  /** The end of the line that `#at` is in. */
  #lineEnd: number

  constructor(source: string, budget: Budget) {
    this.#source = source
    this.#budget = budget
    this.#lineEnd = this.#endAfter(-1)
  }

  tokens(): TemplateToken[] {
    const source = this.#source
    let isTrimming = false
    while (this.#at < source.length) {
      const open = source.indexOf('{{', this.#at)
      const end = open < 0 ? source.length : open
      const isTrimmed = source[end + 2] === '-' && isSpace(source[end + 3])
      let text = source.slice(this.#at, end)
      if (isTrimming) text = text.replace(/^[ \t\r\n]+/, '')
      if (isTrimmed) text = withoutTrailingSpace(text)
      if (text !== '') this.#push('text', text)
      this.#advance(end)
      if (open < 0) break
      this.#advance(end + (isTrimmed ? 4 : 2))
      isTrimming = this.#action()
    }
    this.#push('end', '')
    return this.#tokens
  }

  #fail(what: string): never {
    throw new TemplateError(`line ${this.#line}: ${what}`)
  }

  #push(kind: TemplateToken['kind'], text: string, isSpaced = false): void {
    this.#budget.spend(STEPS_PER_TOKEN)
    this.#tokens.push({ kind, text, isSpaced, line: this.#line })
  }

  #advance(to: number): void {
    for (; this.#lineEnd < to; this.#lineEnd = this.#endAfter(this.#lineEnd)) this.#line++
    this.#at = to
  }

  #endAfter(at: number): number {
    const end = this.#source.indexOf('\n', at + 1)
    return end < 0 ? Number.POSITIVE_INFINITY : end
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at
    return pattern.exec(this.#source)?.[0]
  }

  /**
   * Reads up to and including `}}`. Returns whether the following text loses its leading white
   * space.
   */
  #action(): boolean {
    if (this.#source.startsWith('/*', this.#at)) {
      const comment = this.#match(COMMENT) ?? this.#fail('a comment has no end')
      this.#advance(this.#at + comment.length)
      return this.#closing() ?? this.#fail('a comment must end right before }}')
    }
    this.#push('open', '{{')
    for (;;) {
      const from = this.#at
      // The space before a trim marker is part of the marker.
      while (isSpace(this.#source[this.#at]) && !this.#isTrimMarker()) this.#advance(this.#at + 1)
      const isTrimmed = this.#closing()
      if (isTrimmed !== undefined) {
        this.#push('close', '}}')
        return isTrimmed
      }
      if (this.#at >= this.#source.length) this.#fail('an action has no }}')
      this.#operand(this.#at > from)
    }
  }

  #isTrimMarker(): boolean {
    return isSpace(this.#source[this.#at]) && this.#source.startsWith('-}}', this.#at + 1)
  }

  #closing(): boolean | undefined {
    const isTrimmed = this.#isTrimMarker()
    if (!isTrimmed && !this.#source.startsWith('}}', this.#at)) return undefined
    this.#advance(this.#at + (isTrimmed ? 4 : 2))
    return isTrimmed
  }

  #operand(isSpaced: boolean): void {
    const { kind, text, length } = this.#piece(this.#source[this.#at] ?? '')
    this.#push(kind, text, isSpaced)
    this.#advance(this.#at + length)
  }

  #piece(start: string): Pick<TemplateToken, 'kind' | 'text'> & { length: number } {
    if (start === '`' || start === '"' || start === "'") return this.#literal(start)
    const number = this.#match(NUMBER)
    if (number !== undefined) return { kind: 'number', text: number, length: number.length }
    if (start === '.' || start === '$') {
      NAME.lastIndex = this.#at + 1
      const text = NAME.exec(this.#source)?.[0] ?? ''
      const dotKind = text === '' ? 'dot' : 'field'
      return { kind: start === '$' ? 'variable' : dotKind, text, length: text.length + 1 }
    }
    const name = this.#match(NAME)
    if (name !== undefined) return { kind: 'name', text: name, length: name.length }
    const mark = this.#match(MARK) ?? this.#fail(`unexpected ${JSON.stringify(start)}`)
    return { kind: 'mark', text: mark, length: mark.length }
  }

  #literal(quote: string): Pick<TemplateToken, 'kind' | 'text'> & { length: number } {
    const read = quote === '`' ? rawText : quotedText
    const { text, end } =
      read(this.#source, this.#at) ?? this.#fail('a text has no end or a wrong escape')
    const length = end - this.#at
    if (quote !== "'") return { kind: 'string', text, length }
    const rune = runeOf(text) ?? this.#fail('a character must be one character')
    return { kind: 'number', text: String(rune), length }
  }
}

const isSpace = (char: string | undefined): boolean => char !== undefined && SPACE.test(char)

/** A pattern that ends in `+$` would take quadratic time for long white space. */
function withoutTrailingSpace(text: string): string {
  let end = text.length
  while (isSpace(text[end - 1])) end--
  return text.slice(0, end)
}
