import type { Probe } from '../probe/probe.ts'

/** Facts about a request that its text does not say. Absent ones are unknown. */
export interface RequestFacts {
  readonly hasImages?: boolean | undefined
  readonly hasAudio?: boolean | undefined
  readonly hasTools?: boolean | undefined
  /** Tokens of the prompt. @default estimated from the text */
  readonly promptTokens?: number | undefined
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Groups of the caller. */
  readonly groups?: readonly string[] | undefined
  /** Share of the caller's budget that is left, 0 to 1. */
  readonly remainingBudget?: number | undefined
  /** The id of the conversation. @default none: conversations are told apart by {@link opening} */
  readonly conversation?: string | undefined
  /** The turns up to the first one of the user; empty where they are not known. @default the first turn of the prompt */
  readonly opening?: string | undefined
  /** Keeps conversations of different callers apart, such as the id of an account. */
  readonly scope?: string | undefined
}

/** The state of a model that may serve. Absent facts are unknown. */
export interface TargetFacts {
  /** Tokens of prompt and answer together. */
  readonly contextSize?: number | undefined
  readonly takesImages?: boolean | undefined
  readonly takesAudio?: boolean | undefined
  readonly takesTools?: boolean | undefined
  readonly isHealthy?: boolean | undefined
}

/** Says what the host knows of the models of a router. */
export interface Targets {
  describe(model: string): TargetFacts
  /**
   * The cost of a request.
   *
   * @returns an amount that compares with that of other models; undefined for a model without a price
   */
  expectCost?(
    model: string,
    use: { readonly promptTokens: number; readonly completionTokens: number },
  ): number | undefined
}

/** Compiles regular expressions. Their matching takes linear time, whatever the text. */
export interface ExpressionEngine {
  /** @throws for a pattern that it does not take; the message follows the key in a sentence */
  compile(pattern: string): (text: string) => boolean
}

/** Characters that signals read, from the end of the text. */
const MAX_TEXT = 65_536
/** Code units from here on mostly make a token each; those below, four. */
const FIRST_DENSE_UNIT = 0x2e80
const CHARACTERS_PER_TOKEN = 4

/** Tokens of a text, roughly: four characters each, and one each in East Asian scripts. */
export function estimatePromptTokens(text: string): number {
  let dense = 0
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) >= FIRST_DENSE_UNIT) dense++
  return dense + Math.ceil((text.length - dense) / CHARACTERS_PER_TOKEN)
}

/** The end of a text, as far as signals read it. */
export function readNewestPart({ turns, text }: Probe, part: 'all' | 'newest', limit = MAX_TEXT): string {
  const whole = part === 'all' ? text : (turns.at(-1) ?? '')
  return whole.length <= limit ? whole : whole.slice(-limit)
}
