import { checkArgument } from '@svc/errors'

/** The text by which a request is routed. */
export interface Probe {
  /** The texts of the conversation, the newest last. None is empty. */
  readonly turns: readonly string[]
  /** All turns, each with a line end after it. */
  readonly text: string
}

/** The wire formats of requests that can be routed. */
export type ProbeFormat =
  | 'chat'
  | 'messages'
  | 'responses'
  | 'completions'
  | 'edits'
  | 'ollama-chat'
  | 'ollama-generate'

/** A probe of texts, the newest last; empty ones are left out. */
export function createProbe(texts: readonly string[]): Probe {
  const areTexts = Array.isArray(texts) && texts.every((text) => typeof text === 'string')
  checkArgument(areTexts, 'createProbe: texts', 'a list of texts', texts)
  const turns = texts.filter((text) => text !== '')
  return { turns, text: turns.map((turn) => `${turn}\n`).join('') }
}
