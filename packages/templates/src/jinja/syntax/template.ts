import type { BlockNode, CallBlockNode, GenerationNode, MacroNode, Statement } from './ast.ts'
import type { HiddenNames } from './hidden-names.ts'
import type { MacroTraits } from './macro-traits.ts'

/** A tag whose body is called like a macro. */
export type MacroLike = MacroNode | CallBlockNode | GenerationNode

/** A parsed and checked template. */
export interface Template {
  readonly body: readonly Statement[]
  readonly blocks: ReadonlyMap<string, BlockNode>
  readonly hidden: HiddenNames
  readonly macros: ReadonlyMap<MacroLike, MacroTraits>
}
