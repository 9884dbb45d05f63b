/** What one generation has used so far. */
export interface Usage {
  readonly promptTokens: number
  /** Those of them that the slot remembered, so that they were not read again. */
  readonly reusedTokens: number
  /** Tokens made so far; the end-of-generation token is not counted. */
  readonly completionTokens: number
  /** Time from the first prompt token to the first token of the answer. */
  readonly promptMs: number
  /** Time since then. */
  readonly generationMs: number
}

/** Counts tokens and time of one generation. */
export interface UsageMeter {
  /** So many tokens of the prompt need not be read. */
  reuse(tokens: number): void
  /** The prompt has been read. */
  promptDone(): void
  /** One more token was made. */
  count(): void
  /** Figures up to now. */
  read(): Usage
}

/** A meter that starts now. `now` gives milliseconds and never goes back. */
export function createUsageMeter(promptTokens: number, now: () => number = () => performance.now()): UsageMeter {
  const startedAt = now()
  let promptEndedAt: number | undefined
  let completionTokens = 0
  let reusedTokens = 0
  return {
    reuse: (tokens) => {
      reusedTokens = tokens
    },
    promptDone: () => {
      promptEndedAt ??= now()
    },
    count: () => {
      completionTokens++
    },
    read: () => {
      const at = now()
      const promptEnd = promptEndedAt ?? at
      const times = { promptMs: promptEnd - startedAt, generationMs: at - promptEnd }
      return { promptTokens, reusedTokens, completionTokens, ...times }
    },
  }
}

/** Tokens per second of the answer; 0 before the first. */
export function tokensPerSecond(usage: Usage): number {
  return usage.generationMs > 0 ? (usage.completionTokens * 1000) / usage.generationMs : 0
}
