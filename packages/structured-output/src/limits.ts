/** Deepest nesting of a schema, in schemas; a deeper one is refused. */
export const MAX_SCHEMA_NESTING = 256
/** Deepest nesting of the JSON that a schema is written in. */
export const MAX_SCHEMA_JSON_DEPTH = 1024
/** Most JSON values a schema may consist of. */
export const MAX_SCHEMA_VALUES = 20_000
/** Most UTF-16 units in all keys and texts of a schema together. */
export const MAX_SCHEMA_TEXT = 256 * 1024
/** Most alternatives that one place of a schema may combine to. */
export const MAX_ALTERNATIVES = 256
/** Most keywords that one compilation may ask for, all tools together; one costs some ten millionths of a second. */
export const MAX_COMPILE_STEPS = 5_000_000
/** Most UTF-16 units in the JSON pointers of all places of a schema together. */
export const MAX_POINTER_TEXT = 16 * 1024 * 1024
/** Most steps that combining the parts of a schema may take. */
export const MAX_EXPANSION_STEPS = 50_000
/** Most rules of a grammar. */
export const MAX_RULES = 4_000
/** Most characters of a grammar's text. */
export const MAX_GRAMMAR_LENGTH = 512 * 1024
/** The engine copies what is repeated: a higher lower bound is refused, a higher upper bound is checked afterwards. */
export const MAX_REPEAT = 1_000
/** Most elements of a grammar with its repetitions counted out: properties, values, characters of patterns, copies. */
export const MAX_ELEMENTS = 50_000
/** Most elements of an array that have a schema of their own. */
export const MAX_PREFIX_ITEMS = 256
/** Longest `pattern`, in UTF-16 units. */
export const MAX_PATTERN_LENGTH = 1024
/** Most different patterns of one schema, or of the schemas of all tools together. */
export const MAX_PATTERNS = 64
/** Most nodes of a pattern that becomes part of a grammar, with its repetitions counted out. */
export const MAX_PATTERN_COST = 1_000
/** Most steps that checking one value may take: two for each schema applied to a part of it, and for what it lists. */
export const MAX_CHECK_STEPS = 400_000
/** Deepest nesting of schemas applied inside of each other while a value is checked. */
export const MAX_CHECK_DEPTH = 1_000
/** Most problems that a check names. */
export const MAX_PROBLEMS = 16
/** Most calls that one reply may hold at once. */
export const MAX_PARALLEL_CALLS = 64
