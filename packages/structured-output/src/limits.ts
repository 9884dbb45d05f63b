/** Deepest nesting of a schema, in schemas; a deeper one is refused. */
export const MAX_SCHEMA_NESTING = 256
/** Deepest nesting of a schema's JSON. */
export const MAX_SCHEMA_JSON_DEPTH = 1024
/** Most JSON values a schema may consist of. */
export const MAX_SCHEMA_VALUES = 20_000
/** Most UTF-16 units in all keys and texts of a schema together. */
export const MAX_SCHEMA_TEXT = 256 * 1024
/** Most combined alternatives of one place of a schema. */
export const MAX_ALTERNATIVES = 256
/** Most keyword lookups of one compilation, all tools together; one costs some ten millionths of a second. */
export const MAX_COMPILE_STEPS = 5_000_000
/** Most UTF-16 units in the JSON pointers of all places of a schema together. */
export const MAX_POINTER_TEXT = 16 * 1024 * 1024
/** Most steps of combining the parts of a schema. */
export const MAX_EXPANSION_STEPS = 50_000
/** Most rules of a grammar. */
export const MAX_RULES = 4_000
/** Most characters of a grammar's text. */
export const MAX_GRAMMAR_LENGTH = 512 * 1024
/** The engine copies repeated elements: a higher lower bound is refused, a higher upper bound is checked afterwards. */
export const MAX_REPEAT = 1_000
/** Most elements of a grammar with its repetitions expanded: properties, values, characters of patterns, copies. */
export const MAX_ELEMENTS = 50_000
/** Most elements of an array that have a schema of their own. */
export const MAX_PREFIX_ITEMS = 256
/** Longest `pattern`, in UTF-16 units. */
export const MAX_PATTERN_LENGTH = 1024
/** Most different patterns of one schema, or of the schemas of all tools together. */
export const MAX_PATTERNS = 64
/** Most nodes of a pattern in a grammar, with its repetitions expanded. */
export const MAX_PATTERN_COST = 1_000
/** Most steps of checking one value: two for each schema applied to a part of it, plus steps for listed entries. */
export const MAX_CHECK_STEPS = 400_000
/** Deepest nesting of schemas applied to each other while a value is checked. */
export const MAX_CHECK_DEPTH = 1_000
/** Most problems that a check reports. */
export const MAX_PROBLEMS = 16
/** Most parts of a tool's schema that are left out one by one; with one more the whole schema is left out. */
export const MAX_LEFT_OUT = 16
/** Most places of a tool's schema that are left out because no grammar can be made of them; then the whole goes. */
export const MAX_GRAMMAR_FAULTS = 2
/** Most grammars that are tried for the tools of a request; then the schemas of all tools that are not strict go. */
export const MAX_GRAMMAR_TRIES = 8
/** Most calls that one reply may hold at once. */
export const MAX_PARALLEL_CALLS = 64
