/**
 * Jinja as chat templates use it: exact, bounded in time and size, without a way to the host.
 *
 * @module
 */
export { type NumberedJson, parseJsonKeepingNumbers, TemplateFloat } from '../number.ts'
export { type CompiledJinja, type CompileOptions, compileJinja, type JinjaContext } from './compile.ts'
export { type JinjaException, JinjaLimitError, JinjaRuntimeError, JinjaSyntaxError } from './errors.ts'
export type { JinjaLimits } from './limits.ts'
export type { Clock, JinjaPorts } from './ports.ts'
export { type ChatTemplateInput, type ChatTemplateMessage, renderChatTemplate } from './render-chat-template.ts'
