import { Budget } from './budget.ts'
import { Evaluator } from './evaluator.ts'
import type { Surroundings } from './functions.ts'
import type { Node } from './nodes.ts'
import { parseNodes } from './parser.ts'
import type { Value } from './values.ts'

export { TemplateError } from './fault.ts'
export { valueFrom } from './values.ts'

/** Much more than messages need, but still only a short time of the processor. */
export const newBudget = (): Budget => new Budget(50_000)

export type Template = { nodes: readonly Node[] }

/** Throws TemplateError; its message has the line and the fault. */
export const parseTemplate = (source: string, budget: Budget): Template => ({
  nodes: parseNodes(source, budget)
})

/** Throws only TemplateError. */
export const renderTemplate = (
  { nodes }: Template,
  data: Value,
  surroundings: Surroundings
): string => new Evaluator(data, surroundings).run(nodes)
