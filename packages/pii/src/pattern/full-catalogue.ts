import { BUILTIN_PATTERNS } from './builtins.ts'
import { type Catalogue, createCatalogue } from './catalogue.ts'
import { STRUCTURED_KINDS } from './structured/catalogue.ts'
import { StructuredSet } from './structured/set-search.ts'

/** All built-ins with the ways to find them. */
export const BUILTINS: Catalogue = createCatalogue(
  BUILTIN_PATTERNS,
  STRUCTURED_KINDS.map((structured) => {
    return { name: structured.name, aliases: [], group: structured.group, groupAliases: [], structured }
  }),
  (kinds) => new StructuredSet(kinds),
)
