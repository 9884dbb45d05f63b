import { type PatternNode } from './ast.ts'
import type { CodeSet } from './code-set.ts'
import { type Program } from './program.ts'
/** How a program is built. */
export interface CompileOptions {
  /** Repeats as counters and loops, so that bounds cost no states; else they are written out. */
  readonly counted: boolean
  /** Characters that may not follow a match. */
  readonly notBefore?: CodeSet | undefined
}
/** The program of a simplified pattern; undefined when written out it would be too large. */
export declare function compile(node: PatternNode, options: CompileOptions): Program | undefined
