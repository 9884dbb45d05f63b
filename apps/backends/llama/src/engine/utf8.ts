/** Converts tokens to the text that continues `context`; bytes outside of whole characters become U+FFFD. */
export type Detokenize<Token> = (tokens: readonly Token[], context: readonly Token[]) => string

/** Converts tokens to text as they arrive. */
export interface TokenText<Token> {
  /** Takes the next token; returns text up to the last whole character. */
  push(token: Token): string
  /** Whether the last token ended within a character. */
  readonly isPending: boolean
  /** Returns the rest when the generation ends, an unfinished character as U+FFFD. */
  flush(): string
}

const REPLACEMENT = '\ufffd'
/** The engine's look-back in tokens for deciding about a leading space. */
const CONTEXT_TOKENS = 3
/** Most tokens that a character takes. A longer run is not text and is returned as it is. */
const MAX_PENDING_TOKENS = 16

/** Creates a {@link TokenText} that continues the text of `prompt`. */
export function createTokenText<Token>(detokenize: Detokenize<Token>, prompt: readonly Token[]): TokenText<Token> {
  let context = prompt.slice(-CONTEXT_TOKENS)
  let pending: Token[] = []
  let givenOut = 0

  const takeUpTo = (text: string, end: number, settle: boolean): string => {
    const taken = text.slice(givenOut, end)
    givenOut = Math.max(givenOut, end)
    if (settle) {
      context = [...context, ...pending].slice(-CONTEXT_TOKENS)
      pending = []
      givenOut = 0
    }
    return taken
  }

  return {
    push: (token) => {
      pending.push(token)
      const text = detokenize(pending, context)
      // An unfinished character is one U+FFFD at the very end: everything before it is final.
      const whole = !text.endsWith(REPLACEMENT) || pending.length >= MAX_PENDING_TOKENS
      return takeUpTo(text, whole ? text.length : text.length - 1, whole)
    },
    get isPending() {
      return pending.length > 0
    },
    flush: () => {
      if (pending.length === 0) return ''
      const text = detokenize(pending, context)
      return takeUpTo(text, text.length, true)
    },
  }
}
