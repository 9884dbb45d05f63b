import type { Token } from 'node-llama-cpp'
import { createStopScanner } from './stop.ts'
import type { Choice } from './token-chooser.ts'
import { createTokenText, type Detokenize } from './utf8.ts'

/** What can be given out after a token. */
export interface AnswerPart {
  /** Whole characters that are no part of a stop string. */
  readonly text: string
  /** The tokens whose text is given out with it, where their likelihoods were asked for. */
  readonly choices: readonly Choice[]
  /** The stop string that came; nothing may be pushed after it. */
  readonly stop: string | undefined
}

/** Makes the text of an answer from its tokens. */
export interface AnswerText {
  push(choice: Choice): AnswerPart
  /** What is held back when the answer ends. */
  flush(): AnswerPart
}

/** A token whose text is not given out yet. */
interface Held {
  readonly choice: Choice
  /** Where its text begins, and where it ends once the character it belongs to is whole. */
  readonly start: number
  end: number | undefined
}

/** The text that continues `prompt`. */
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
    // An answer that ends within a token tells of that token too.
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
