import type { ChatTurn } from './ask-model.ts'

/** The turns of a chat. */
export interface Conversation {
  /** The messages that ask `prompt` after the earlier ones. */
  ask(prompt: string): readonly ChatTurn[]
  /** Keeps a prompt with its answer, also one that was stopped. One without any answer is not kept. */
  keep(prompt: string, answer: string): void
  /** Forgets all turns but the system message. */
  clear(): void
}

/** Most prompts that a conversation keeps; the oldest goes first. */
const MAX_PROMPTS = 500

/** A conversation without turns. */
export function createConversation({ system }: { readonly system?: string | undefined } = {}): Conversation {
  let turns: readonly ChatTurn[] = []
  const opening: readonly ChatTurn[] = system === undefined ? [] : [{ role: 'system', content: system }]
  return {
    ask: (prompt) => [...opening, ...turns, { role: 'user', content: prompt }],
    keep(prompt, answer) {
      if (answer === '') return
      const added: readonly ChatTurn[] = [
        { role: 'user', content: prompt },
        { role: 'assistant', content: answer },
      ]
      turns = [...turns, ...added].slice(-2 * MAX_PROMPTS)
    },
    clear() {
      turns = []
    },
  }
}
