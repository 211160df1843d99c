import { Budget } from './budget.ts'
import { Evaluator } from './evaluator.ts'
import type { Surroundings } from './functions.ts'
import type { Node } from './nodes.ts'
import { parse } from './parser.ts'
import type { Value } from './values.ts'

export { TemplateError } from './fault.ts'
export { valueFrom } from './values.ts'

/** Far more than messages need, and a moment of the processor. */
export const newBudget = (): Budget => new Budget(50_000)

export type Template = { nodes: readonly Node[] }

/** Throws TemplateError, whose message says the line and what is wrong there. */
export const parseTemplate = (source: string, budget: Budget): Template => ({
  nodes: parse(source, budget)
})

/** Throws TemplateError, never anything else. */
export const renderTemplate = (
  { nodes }: Template,
  data: Value,
  surroundings: Surroundings
): string => new Evaluator(data, surroundings).run(nodes)
