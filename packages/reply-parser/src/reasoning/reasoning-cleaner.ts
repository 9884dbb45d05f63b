import type { ReasoningSettings } from '../settings.ts'
import { createReasoningSplitter } from './reasoning-splitter.ts'

/** Takes tags out of reasoning that a backend has told apart by itself, but not cleaned. */
export interface ReasoningCleaner {
  push(piece: string): string
  end(): string
}

/** Makes the cleaner of one reply. Reasoning without tags passes as it is; what may be a tag waits for the next piece. */
export function createReasoningCleaner(settings: ReasoningSettings): ReasoningCleaner {
  const splitter = createReasoningSplitter({ ...settings, stripReasoningOnly: false })
  return {
    push(piece) {
      const { reasoning, text } = splitter.push(piece)
      return reasoning + text
    },
    end() {
      const { reasoning, text } = splitter.end()
      return reasoning + text
    },
  }
}
