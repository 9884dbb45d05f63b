import type { Span } from '../span.ts'
import type { BuiltinName, BuiltinSet } from './builtin-names.ts'
import { BUILTIN_PATTERNS } from './builtins.ts'
import type { CompiledPattern } from './compiled-pattern.ts'
import { STRUCTURED_KINDS } from './structured/catalogue.ts'
import type { StructuredKind } from './structured/kind.ts'

/** A built-in by any of its names. */
export interface Builtin {
  readonly name: BuiltinName
  readonly aliases: readonly BuiltinName[]
  readonly group: string
  readonly groupAliases: readonly string[]
  /** The way to find it: a pattern that contains a fixed text, or a checked shape. */
  readonly pattern?: CompiledPattern | undefined
  readonly structured?: StructuredKind | undefined
  /** Finds the private part of a match of the pattern; undefined where the match does not count. */
  readonly findSecret?: ((match: string) => Span | undefined) | undefined
}

/** All built-ins, the more specific before the more general. */
export const BUILTINS: readonly Builtin[] = [
  ...BUILTIN_PATTERNS,
  ...STRUCTURED_KINDS.map((structured) => {
    return { name: structured.name, aliases: [], group: structured.group, groupAliases: [], structured }
  }),
]

const BY_NAME = new Map<string, Builtin>()
for (const builtin of BUILTINS) for (const name of [builtin.name, ...builtin.aliases]) BY_NAME.set(name, builtin)

/** Finds the built-in of a name; undefined for an unknown one. */
export function findBuiltin(name: string): Builtin | undefined {
  return BY_NAME.get(name)
}

/** The built-ins of a name or of a name for several; undefined for an unknown one. */
export function findBuiltins(name: string): readonly Builtin[] | undefined {
  if (Object.hasOwn(SETS, name)) return SETS[name as BuiltinSet]
  const builtin = findBuiltin(name)
  return builtin && [builtin]
}

const SETS: Readonly<Record<BuiltinSet, readonly Builtin[]>> = {
  secrets: BUILTINS.filter(({ structured }) => structured === undefined),
  structured: BUILTINS.filter(({ structured }) => structured !== undefined),
  all: BUILTINS,
}

/** The groups that findings of built-ins are reported under, by names of built-ins and of sets. */
export function listBuiltinGroups(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => findBuiltins(name) ?? []).map(({ group }) => group))]
}
