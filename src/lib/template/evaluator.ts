import { type Budget, STEPS_PER_TIME } from './budget.ts'
import { checkLength, TemplateError } from './fault.ts'
import { functions, type Surroundings, textOf } from './functions.ts'
import { GoTime } from './go-time.ts'
import type { Command, Node, Operand, Pipe } from './nodes.ts'
import { printed } from './print.ts'
import { isList, isMap, isTrue, typeName, type Value } from './values.ts'

/** Searching through this many variables costs one step. */
const VARIABLES_PER_STEP = 8

type Flow = 'on' | 'break' | 'continue'

/** [Go text/template] Runs a template, with limits for its time and its output. */
export class Evaluator {
  readonly #surroundings: Surroundings
  readonly #budget: Budget
  readonly #variables: { name: string; value: Value }[]
  #output: string[] = []
  #length = 0
  #line = 1

  constructor(data: Value, surroundings: Surroundings) {
    this.#surroundings = surroundings
    this.#budget = surroundings.budget
    this.#variables = [{ name: '', value: data }]
  }

  run(nodes: readonly Node[]): string {
    try {
      this.#list(nodes, this.#variables[0]?.value)
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error
      throw new TemplateError(`line ${this.#line}: ${error.message}`)
    }
    return this.#output.join('')
  }

  #write(text: string): void {
    this.#length += text.length
    checkLength(this.#length)
    this.#output.push(this.#bounded(text))
  }

  #list(nodes: readonly Node[], dot: Value): Flow {
    for (const node of nodes) {
      const flow = this.#node(node, dot)
      if (flow !== 'on') return flow
    }
    return 'on'
  }

  #node(node: Node, dot: Value): Flow {
    this.#budget.spend(1)
    switch (node.kind) {
      case 'text':
        this.#write(node.text)
        return 'on'
      case 'action': {
        const value = this.#pipe(node.pipe, dot)
        if (node.pipe.variables.length === 0) this.#write(printed(value, this.#budget))
        return 'on'
      }
      case 'range':
        return this.#inBlock(() => this.#range(node, dot))
      case 'if':
      case 'with':
        return this.#inBlock(() => {
          const value = this.#pipe(node.pipe, dot)
          if (!isTrue(value)) return this.#list(node.otherwise, dot)
          return this.#list(node.body, node.kind === 'with' ? value : dot)
        })
      default:
        return node.kind
    }
  }

  #inBlock(work: () => Flow): Flow {
    const known = this.#variables.length
    const flow = work()
    this.#variables.length = known
    return flow
  }

  #range(node: Extract<Node, { kind: 'range' }>, dot: Value): Flow {
    const { pipe, body, otherwise } = node
    const value = this.#commands(pipe, dot)
    let isEmpty = true
    for (const [key, one] of this.#elements(value)) {
      isEmpty = false
      this.#budget.spend(1 + pipe.variables.length)
      const known = this.#variables.length
      this.#set(pipe, pipe.variables.length === 2 ? [key, one] : [one])
      const flow = this.#list(body, one)
      this.#variables.length = known
      if (flow === 'break') break
    }
    return isEmpty ? this.#list(otherwise, dot) : 'on'
  }

  *#elements(value: Value): Generator<[Value, Value]> {
    if (value === undefined || value === null) return
    if (isList(value)) {
      for (const [i, one] of value.entries()) yield [BigInt(i), one]
    } else if (isMap(value)) {
      yield* value
    } else if (typeof value === 'bigint') {
      for (let i = 0n; i < value; i++) yield [i, i]
    } else {
      throw new TemplateError(`range: ${typeName(value)} has no elements`)
    }
  }

  #pipe(pipe: Pipe, dot: Value): Value {
    const value = this.#commands(pipe, dot)
    this.#set(pipe, [value])
    return value
  }

  #commands({ commands, line }: Pipe, dot: Value): Value {
    let value: Value
    for (const [i, command] of commands.entries()) {
      this.#line = line
      value = this.#command(command, dot, i === 0 ? [] : [value])
    }
    return value
  }

  #set({ variables, isAssigned }: Pipe, values: readonly Value[]): void {
    for (const [i, name] of variables.entries()) {
      const value = values[i]
      const known = isAssigned && this.#variable(name)
      if (known) known.value = value
      else this.#variables.push({ name, value })
    }
  }

  #variable(name: string) {
    this.#budget.spend(Math.ceil(this.#variables.length / VARIABLES_PER_STEP))
    return this.#variables.findLast((one) => one.name === name)
  }

  /** `piped` is the value before the `|`, which becomes the last argument. */
  #command(command: Command, dot: Value, piped: readonly Value[]): Value {
    // All operands are paid for, even those that `and` and `or` skip.
    this.#budget.spend(command.length)
    const [first, ...more] = command
    const given = more.length + piped.length
    if (first.kind === 'function') return this.#call(first.name, { more, dot, piped })
    if (first.kind === 'nil') throw new TemplateError('nil is not a command')
    const names = 'names' in first ? first.names : []
    const last = names.at(-1)
    if (last !== undefined) {
      const receiver = this.#fields(this.#base(first, dot), names.slice(0, -1))
      if (receiver instanceof GoTime) {
        const args = [...more.map((one) => this.#operand(one, dot)), ...piped]
        return this.#bounded(this.#method(receiver, last, args))
      }
      if (given === 0) return this.#field(receiver, last)
    }
    if (given > 0) throw new TemplateError(`${last ?? 'the first operand'} takes no arguments`)
    return this.#operand(first, dot)
  }

  #operand(operand: Operand, dot: Value): Value {
    const base = this.#base(operand, dot)
    return 'names' in operand ? this.#fields(base, operand.names) : base
  }

  /** The value of an operand without its fields. */
  #base(operand: Operand, dot: Value): Value {
    this.#budget.spend(1)
    switch (operand.kind) {
      case 'dot':
      case 'field':
        return dot
      case 'nil':
        return null
      case 'constant':
        return operand.value
      case 'function':
        return this.#call(operand.name, { more: [], dot, piped: [] })
      case 'variable':
        return this.#variable(operand.name)?.value
      case 'pipe':
        return this.#pipe(operand.pipe, dot)
    }
  }

  #fields(value: Value, names: readonly string[]): Value {
    this.#budget.spend(names.length)
    return names.reduce((receiver, name) => this.#field(receiver, name), value)
  }

  /** A missing field is no value and no error, so that the rest of the message is sent. */
  #field(receiver: Value, name: string): Value {
    if (receiver instanceof GoTime) return this.#method(receiver, name, [])
    return isMap(receiver) ? receiver.get(name) : undefined
  }

  #method(time: GoTime, name: string, args: readonly Value[]): Value {
    const takes = name === 'Format' ? 1 : 0
    if (args.length !== takes) throw new TemplateError(`${name}: ${args.length} arguments`)
    this.#budget.spend(STEPS_PER_TIME)
    if (takes === 1) {
      const layout = textOf(args[0], name)
      this.#budget.spend(layout.length)
      return time.format(layout)
    }
    const part = time.part(name)
    if (part === undefined) throw new TemplateError(`a time has no ${name}`)
    return part
  }

  #call(
    name: string,
    { more, dot, piped }: { more: readonly Operand[]; dot: Value; piped: readonly Value[] }
  ): Value {
    const { least, most = Number.POSITIVE_INFINITY, call } = functions.get(name) ?? missing(name)
    const count = more.length + piped.length
    if (count < least || count > most) throw new TemplateError(`${name}: ${count} arguments`)
    const args: Value[] = []
    for (let i = 0; i < count; i++) {
      const operand = more[i]
      const arg = operand ? this.#operand(operand, dot) : piped[0]
      args.push(this.#bounded(arg ?? null))
      // [Go] The first argument that decides is the result; the rest is not evaluated.
      if ((name === 'and' && !isTrue(arg)) || (name === 'or' && isTrue(arg))) break
    }
    return this.#bounded(call(args, this.#surroundings))
  }

  /** Every text is paid for, and none may be longer than the whole output may be. */
  #bounded<T extends Value>(value: T): T {
    if (typeof value === 'string') {
      checkLength(value.length)
      this.#budget.spendOnText(value.length)
    }
    return value
  }
}

const missing = (name: string): never => {
  throw new TemplateError(`there is no function ${name}`)
}
