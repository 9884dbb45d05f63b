/**
 * Requests and replies from one wire format to the other. Runs in a browser.
 *
 * @module
 */
export { addCacheBreakpoints } from './cache-breakpoints.ts'
export { chatToMessages } from './chat-to-messages.ts'
export { messagesToChat } from './messages-to-chat.ts'
export type { TranslateMode } from './reply-reader.ts'
export { createTranslator, type Translator, type TranslatorOptions } from './translator.ts'
