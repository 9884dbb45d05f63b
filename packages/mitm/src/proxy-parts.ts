import type { MitmEvent } from './events.ts'
import type { ByteBudget } from './limits/byte-budget.ts'
import type { Deadlines } from './limits/deadlines.ts'
import type { Limits } from './limits/limits.ts'

/** Parts that all connections of a proxy share. */
export interface ProxyParts {
  readonly limits: Limits
  readonly budget: ByteBudget
  readonly deadlines: Deadlines
  readonly onEvent: (event: MitmEvent) => void
}
