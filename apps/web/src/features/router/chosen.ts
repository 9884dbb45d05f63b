/** Reasons of decisions that take no fallback. */
export const CHOSEN: ReadonlySet<string> = new Set(['covered', 'rule', 'sticky', 'selected'])
