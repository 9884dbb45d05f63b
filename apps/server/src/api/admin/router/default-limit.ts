/** Decisions of a list unless the query asks for another number. */
export const DEFAULT_LIMIT = 100
