import type { ByteBudget } from './byte-budget.ts'
import type { Deadlines } from './deadlines.ts'
import type { MitmEvent } from './events.ts'
import type { Limits } from './limits.ts'

/** Parts that all connections of a proxy share. */
export interface Shared {
  readonly limits: Limits
  readonly budget: ByteBudget
  readonly deadlines: Deadlines
  readonly onEvent: (event: MitmEvent) => void
}
