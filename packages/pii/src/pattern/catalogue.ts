import { toGroupAliases, toNeutralName, toSecretGroup } from '../secrets/secret-groups.ts'
import { SECRET_NAMES } from '../secrets/secret-names.ts'
import type { Span } from '../span.ts'
import type { BuiltinName, BuiltinSet } from './builtin-names.ts'
import type { CompiledPattern } from './compiled-pattern.ts'
import type { StructuredKind } from './structured/kind.ts'
import type { StructuredSet } from './structured/set-search.ts'
import { STRUCTURED_NAMES, toStructuredGroup } from './structured-names.ts'

/** A built-in by any of its names. */
export interface Builtin {
  readonly name: BuiltinName
  readonly aliases: readonly BuiltinName[]
  readonly group: string
  readonly groupAliases: readonly string[]
  /** The way to find it: a pattern that contains a fixed text, or a checked shape. Neither for a mere name. */
  readonly pattern?: CompiledPattern | undefined
  readonly structured?: StructuredKind | undefined
  /** Finds the private part of a match of the pattern in a text; undefined where the match does not count. */
  readonly findSecret?: ((text: string, match: Span) => Span | undefined) | undefined
}

/** Built-ins by their names. */
export interface Catalogue {
  /** All of them, the more specific before the more general. */
  readonly builtins: readonly Builtin[]
  /** Finds the built-ins of a name or of a name for several; undefined for an unknown one. */
  find(name: string): readonly Builtin[] | undefined
  /** Creates the search for checked shapes. A catalogue of mere names has none. */
  readonly createSet?: ((kinds: readonly StructuredKind[]) => StructuredSet) | undefined
}

/** Creates a catalogue of these built-ins, in this order. @param createSet for built-ins with checked shapes */
export function createCatalogue(
  secrets: readonly Builtin[],
  structured: readonly Builtin[],
  createSet?: Catalogue['createSet'],
): Catalogue {
  const builtins = [...secrets, ...structured]
  const sets: Readonly<Record<BuiltinSet, readonly Builtin[]>> = { secrets, structured, all: builtins }
  const byName = new Map<string, readonly Builtin[]>()
  for (const builtin of builtins) {
    const alone = [builtin]
    for (const name of [builtin.name, ...builtin.aliases]) byName.set(name, alone)
  }
  for (const [name, members] of Object.entries(sets)) byName.set(name, members)
  return { builtins, find: (name) => byName.get(name), createSet }
}

/** All built-ins by their names, with the groups of their findings, but without the ways to find them. */
export const NAMED_BUILTINS: Catalogue = createCatalogue(
  SECRET_NAMES.filter((name) => toNeutralName(name) === name).map((name) => {
    const aliases = SECRET_NAMES.filter((other) => other !== name && toNeutralName(other) === name)
    return { name, aliases, group: toSecretGroup(name), groupAliases: toGroupAliases(name) }
  }),
  STRUCTURED_NAMES.map((name) => ({ name, aliases: [], group: toStructuredGroup(name), groupAliases: [] })),
)

/** The groups that findings of built-ins are reported under, by names of built-ins and of sets. */
export function listBuiltinGroups(names: readonly string[]): readonly string[] {
  return [...new Set(names.flatMap((name) => NAMED_BUILTINS.find(name) ?? []).map(({ group }) => group))]
}
