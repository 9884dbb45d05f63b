import type { Token } from 'node-llama-cpp'
import { createStopScanner } from './stop.ts'
import type { Choice } from './token-chooser.ts'
import { createTokenText, type Detokenize } from './utf8.ts'

/** The part of an answer that is ready after a token. */
export interface AnswerPart {
  /** Whole characters that do not belong to a stop string. */
  readonly text: string
  /** The tokens of this text, when likelihoods were requested. */
  readonly choices: readonly Choice[]
  /** The matched stop string; no token may be pushed after it. */
  readonly stop: string | undefined
}

/** Converts the tokens of an answer to text. */
export interface AnswerText {
  push(choice: Choice): AnswerPart
  /** Returns the held text at the end of the answer. */
  flush(): AnswerPart
}

/** A token whose text is not ready yet. */
interface Held {
  readonly choice: Choice
  /** Start of its text, and the end once the character that it belongs to is whole. */
  readonly start: number
  end: number | undefined
}

/** Creates the text that continues `prompt`. */
export function createAnswerText(options: {
  readonly detokenize: Detokenize<Token>
  readonly prompt: readonly Token[]
  readonly stop: readonly string[]
}): AnswerText {
  const tokenText = createTokenText(options.detokenize, options.prompt)
  const scanner = createStopScanner(options.stop)
  let held: Held[] = []
  let made = 0
  let given = 0

  const take = (text: string, isLast: boolean): Choice[] => {
    given += text.length
    // An answer that ends within a token reports that token too.
    const isGiven = ({ start, end }: Held): boolean =>
      isLast ? start < given || end === start : (end ?? Infinity) <= given
    const ready = held.filter(isGiven)
    held = held.filter((entry) => !isGiven(entry))
    return ready.map(({ choice }) => choice)
  }

  return {
    push: (choice) => {
      const text = tokenText.push(choice.token)
      if (choice.logprob !== undefined) held.push({ choice, start: made, end: undefined })
      made += text.length
      if (!tokenText.isPending) for (const entry of held) entry.end ??= made
      const piece = scanner.push(text)
      return { text: piece.text, choices: take(piece.text, piece.stop !== undefined), stop: piece.stop }
    },
    flush: () => {
      const text = tokenText.flush()
      made += text.length
      for (const entry of held) entry.end ??= made
      const rest = scanner.push(text)
      const whole = rest.stop === undefined ? rest.text + scanner.flush() : rest.text
      return { text: whole, choices: take(whole, true), stop: rest.stop }
    },
  }
}
