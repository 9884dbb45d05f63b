/**
 * Limits of requests, tokens, money and requests at a time, for accounts, keys, groups, models and end users.
 *
 * @module
 */

export type { BoundFigures, LimitFigures } from './figures.ts'
export type { LimitedUse } from './limit-book.ts'
export { EACH, type LimitDraft } from './limit-draft.ts'
export type { LimitCount, LimitStatus, Limits } from './limits.ts'
export { formatMicros, parseMicros } from './money.ts'
export type { LimitNotice } from './notices.ts'
export { describeLimit } from './refusal.ts'
export { formatWindow, parseWindow } from './window-text.ts'
