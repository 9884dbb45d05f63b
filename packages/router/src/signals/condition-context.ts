import type { ExpressionEngine } from './facts.ts'
import type { SettingsReader } from './settings-reader.ts'

/** Most keywords of a router, and most expressions. */
export const MAX_KEYWORDS = 500
export const MAX_EXPRESSIONS = 16

/** Bounds that count over all rules of a router. */
export interface ReadBudget {
  keywords: number
  expressions: number
}

/** Everything that reading a condition needs. */
export interface ConditionContext {
  readonly reader: SettingsReader
  readonly expressions: ExpressionEngine | undefined
  readonly budget: ReadBudget
  readonly at: 'before' | 'after'
}
