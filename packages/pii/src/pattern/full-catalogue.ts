import { BUILTIN_PATTERNS } from './builtins.ts'
import { type Builtin, type Catalogue, createCatalogue } from './catalogue.ts'
import { CompiledPattern } from './compiled-pattern.ts'
import { STRUCTURED_KINDS } from './structured/catalogue.ts'
import type { StructuredKind } from './structured/kind.ts'
import { StructuredSet } from './structured/set-search.ts'

/** All built-ins with the ways to find them. */
export const BUILTINS: Catalogue = createCatalogue(
  BUILTIN_PATTERNS,
  STRUCTURED_KINDS.map(toBuiltin),
  (kinds) => new StructuredSet(kinds),
)

function toBuiltin(structured: StructuredKind): Builtin {
  const { name, group, words } = structured
  const builtin = { name, aliases: [], group, groupAliases: [], structured }
  if (words === undefined) return builtin
  let compiled: CompiledPattern | undefined
  return {
    ...builtin,
    get pattern() {
      compiled ??= new CompiledPattern(words.anchors.join('|'))
      return compiled
    },
    findSecret: words.find,
  }
}
