/** Usage of one generation so far. */
export interface Usage {
  readonly promptTokens: number
  /** Of these, the tokens that the slot remembered, which were not read again. */
  readonly reusedTokens: number
  /** Generated tokens; without the end-of-generation token. */
  readonly completionTokens: number
  /** Time from the first prompt token to the first token of the answer. */
  readonly promptMs: number
  /** Time since then. */
  readonly generationMs: number
}

/** Counts tokens and time of one generation. */
export interface UsageMeter {
  /** Records the number of prompt tokens that need not be read. */
  reuse(tokens: number): void
  /** Records the end of reading the prompt. */
  promptDone(): void
  /** Counts one generated token. */
  count(): void
  /** Returns the figures up to now. */
  read(): Usage
}

/** Creates a meter that starts now. `now` returns monotonic milliseconds. */
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
