/** Most UTF-16 units that are held back for one call; a longer one is text. */
export const MAX_CALL_LENGTH = 4 * 1024 * 1024
/** Most UTF-16 units of one reply that are read again because a call was broken. */
export const MAX_REREAD_LENGTH = 1024 * 1024
/** Most calls that one reply may hold; the rest of the reply is text. */
export const MAX_CALLS = 128
/** Longest name of a tool or of a tagged parameter. */
export const MAX_NAME_LENGTH = 256
/** Longest marker; the grammar leaves out longer ones. */
export const MAX_MARKER_LENGTH = 256
/** Deepest nesting of JSON in a call. */
export const MAX_JSON_DEPTH = 128
/** Longest pattern of a model file; a longer one is ignored. */
export const MAX_PATTERN_LENGTH = 1024
/** Longest text that patterns are tried on; a longer reply is read without them. */
export const MAX_PATTERN_TEXT_LENGTH = 128 * 1024
/** Most places of one text that a replacement changes. */
export const MAX_REPLACEMENTS = 4096
