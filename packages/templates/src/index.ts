/**
 * Chat templates in two languages, written for this package, exact and bounded.
 *
 * @module
 */

// Chat templates
export {
  type ChatTemplate,
  type ChatTemplateOptions,
  type ChatTemplateRequest,
  createChatTemplate,
} from './chat/chat-template.ts'
export type { ChatTurn } from './chat/conversation.ts'
// Go
export {
  compileGoTemplate,
  DEFAULT_GO_TEMPLATE_LIMITS,
  type GoField,
  type GoFieldSpec,
  type GoRenderOptions,
  type GoStruct,
  type GoStructType,
  type GoTemplate,
  GoTemplateExecError,
  GoTemplateLimitError,
  type GoTemplateLimits,
  type GoTemplateOptions,
  GoTemplateSyntaxError,
  type GoType,
  goMap,
  goPointerTo,
  goSlice,
  goStruct,
} from './go/index.ts'
// Jinja
export {
  type CompiledJinja,
  type CompileOptions,
  compileJinja,
  type JinjaContext,
} from './jinja/compile.ts'
export { type JinjaException, JinjaLimitError, JinjaRuntimeError, JinjaSyntaxError } from './jinja/errors.ts'
export type { JinjaLimits } from './jinja/limits.ts'
export type { Clock, JinjaPorts } from './jinja/ports.ts'
export { type ChatTemplateInput, type ChatTemplateMessage, renderChatTemplate } from './jinja/render-chat-template.ts'
// Data
export { type NumberedJson, parseJsonKeepingNumbers, TemplateFloat } from './number.ts'
