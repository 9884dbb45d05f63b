/**
 * Chat templates in two languages, written for this package, exact and bounded.
 *
 * @module
 */
export { type NumberedJson, parseJsonKeepingNumbers, TemplateFloat } from './number.ts'
