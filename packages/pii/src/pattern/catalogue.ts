import type { BuiltinName } from './builtin-names.ts'
import { BUILTIN_PATTERNS } from './builtins.ts'
import type { CompiledPattern } from './compiled-pattern.ts'
import { STRUCTURED_BUILTINS } from './structured/catalogue.ts'
import type { StructuredSearch } from './structured/search.ts'

/** A built-in by any of its names. */
export interface Builtin {
  readonly name: BuiltinName
  readonly aliases: readonly BuiltinName[]
  readonly group: string
  readonly groupAliases: readonly string[]
  /** The way to find it: a pattern that contains a fixed text, or a checked shape. */
  readonly pattern?: CompiledPattern | undefined
  readonly search?: StructuredSearch | undefined
}

/** All built-ins, the more specific before the more general. */
export const BUILTINS: readonly Builtin[] = [...BUILTIN_PATTERNS, ...STRUCTURED_BUILTINS]

const BY_NAME = new Map<string, Builtin>()
for (const builtin of BUILTINS) for (const name of [builtin.name, ...builtin.aliases]) BY_NAME.set(name, builtin)

/** Finds the built-in of a name; undefined for an unknown one. */
export function findBuiltin(name: string): Builtin | undefined {
  return BY_NAME.get(name)
}
