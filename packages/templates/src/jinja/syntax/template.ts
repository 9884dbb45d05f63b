import type { BlockNode, CallBlockNode, MacroNode, Statement } from './ast.ts'
import type { MacroTraits } from './macro-traits.ts'

/** A template that has been read and checked. */
export interface Template {
  readonly body: readonly Statement[]
  readonly blocks: ReadonlyMap<string, BlockNode>
  readonly macros: ReadonlyMap<MacroNode | CallBlockNode, MacroTraits>
}
