import type { ChatConversation } from './conversation.ts'
import type { Demands } from './demands.ts'

/** Renders a conversation in the form of some demands. Undefined when the template refuses it. */
export type Attempt = (conversation: ChatConversation, demands: Demands) => string | undefined

/** Whether a text contains all words. */
export function shows(text: string | undefined, ...words: readonly string[]): boolean {
  return text !== undefined && words.every((word) => text.includes(word))
}

/** The words that a text contains more often than another text, such as one with declarations of the same tools. */
export function findShown(text: string | undefined, than: string | undefined, words: readonly string[]): string[] {
  return text === undefined ? [] : words.filter((word) => count(text, word) > count(than ?? '', word))
}

function count(text: string, word: string): number {
  return text.split(word).length - 1
}
