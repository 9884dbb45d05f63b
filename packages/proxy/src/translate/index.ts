/**
 * Requests and replies from one wire format to the other. Runs in a browser.
 *
 * @module
 */
export { addCacheBreakpoints } from './cache-breakpoints.ts'
export type { CompatibleOptions } from './chat-to-compatible.ts'
export { chatToMessages } from './chat-to-messages.ts'
export { completionToChunks } from './completion-chunks.ts'
export { messagesToChat } from './messages-to-chat.ts'
export type { TranslateMode } from './reply-reader.ts'
export { readThinkingBlocks, type ThinkingBlock } from './thoughts.ts'
export { createTranslator, type Translator, type TranslatorOptions } from './translator.ts'
