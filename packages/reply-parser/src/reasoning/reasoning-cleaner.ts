import type { ReasoningSettings } from '../settings.ts'
import { createReasoningSplitter } from './reasoning-splitter.ts'

/** Removes tags from reasoning that a backend separated but did not clean. */
export interface ReasoningCleaner {
  push(piece: string): string
  end(): string
}

/**
 * Creates the cleaner of one reply. Reasoning without tags passes unchanged; a possible tag waits for the next piece.
 */
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
