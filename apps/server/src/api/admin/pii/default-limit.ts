/** Default number of events in a list. */
export const DEFAULT_LIMIT = 100
