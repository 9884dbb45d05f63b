import type { Classification } from '../classifiers/classification.ts'
import type { Probe } from '../probe/probe.ts'
import { estimatePromptTokens, type RequestFacts, readNewestPart, type Targets } from './facts.ts'
import { type FoldedText, foldText } from './keyword.ts'
import { type DetectedLanguage, detectLanguage } from './language/detect-language.ts'
import type { LatencyBook } from './latencies.ts'
import type { TextPart } from './settings.ts'

/** Characters that an expression reads, from the end of the text. */
const MAX_EXPRESSION_TEXT = 16_384

/** The host's knowledge of models and time. */
export interface ViewPorts {
  readonly targets: Targets
  readonly latencies: LatencyBook
  /** Milliseconds since the epoch. */
  readonly now: () => number
}

/** A request as conditions see it. Everything that costs work is found once, and only when a signal asks. */
export class RequestView {
  readonly facts: RequestFacts
  readonly ports: ViewPorts
  /** Whether nothing may remember the decision. */
  readonly isTrial: boolean
  /** The labels; undefined before the classifier, and where none was asked. */
  found: Classification | undefined
  /** The model that serves so far; undefined before the classifier. */
  chosen: string | undefined
  readonly #probe: Probe
  readonly #folded: Partial<Record<TextPart, FoldedText>> = {}
  #language: DetectedLanguage | undefined
  #tokens: number | undefined

  constructor(
    {
      probe,
      facts,
      isTrial = false,
    }: { readonly probe: Probe; readonly facts: RequestFacts; readonly isTrial?: boolean },
    ports: ViewPorts,
  ) {
    this.#probe = probe
    this.facts = facts
    this.isTrial = isTrial
    this.ports = ports
  }

  /** The end of the text, for expressions. */
  text(part: TextPart): string {
    return readNewestPart(this.#probe, part, MAX_EXPRESSION_TEXT)
  }

  folded(part: TextPart): FoldedText {
    this.#folded[part] ??= foldText(readNewestPart(this.#probe, part))
    return this.#folded[part]
  }

  /** The language of the newest turn. */
  get language(): DetectedLanguage {
    this.#language ??= detectLanguage(this.#probe.turns.at(-1) ?? '')
    return this.#language
  }

  get promptTokens(): number {
    this.#tokens ??= this.facts.promptTokens ?? estimatePromptTokens(this.#probe.text)
    return this.#tokens
  }

  get characters(): number {
    return this.#probe.turns.reduce((sum, { length }) => sum + length, 0)
  }

  /** Tells this conversation from others: its id, or its first turns. */
  get opening(): string {
    return this.facts.opening ?? this.#probe.turns[0] ?? ''
  }
}
