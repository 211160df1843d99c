/** The parts of a template; the names are those of Go's text/template. */
export type Node =
  | { kind: 'text'; text: string }
  | { kind: 'action'; pipe: Pipe }
  | { kind: 'if' | 'with'; pipe: Pipe; body: Node[]; otherwise: Node[] }
  | { kind: 'range'; pipe: Pipe; body: Node[]; otherwise: Node[] }
  | { kind: 'break' | 'continue' }

export type Pipe = {
  /** The variables that the pipe sets. They are declared here unless `isAssigned`. */
  variables: readonly string[]
  isAssigned: boolean
  commands: readonly Command[]
  line: number
}

/** The first operand is called or looked up; the others are its arguments. */
export type Command = readonly [Operand, ...Operand[]]

export type Operand =
  | { kind: 'dot' | 'nil' }
  | { kind: 'constant'; value: boolean | bigint | number | string }
  | { kind: 'function'; name: string }
  | { kind: 'field'; names: readonly string[] }
  | { kind: 'variable'; name: string; names: readonly string[] }
  | { kind: 'pipe'; pipe: Pipe; names: readonly string[] }
