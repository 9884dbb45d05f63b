/** A span of numbers, both ends included. */
export interface NumberSpan {
  readonly min?: number | undefined
  readonly max?: number | undefined
}

/** The part of the conversation that a signal reads: all of it, or its newest turn. @default 'all' */
export type TextPart = 'all' | 'newest'

/** Days and hours in a time zone. */
export interface TimeWindow {
  /** `mon`, or a span such as `mon-fri`. @default every day */
  readonly days?: readonly string[] | string | undefined
  /** `HH:MM`. @default 00:00 */
  readonly from?: string | undefined
  /** `HH:MM`, not included; at or before {@link from} it is on the next day. @default 24:00 */
  readonly to?: string | undefined
  /** An IANA name such as `Europe/Berlin`. @default 'UTC' */
  readonly zone?: string | undefined
}

/**
 * A condition of a rule. Several keys in one object must all hold. A signal that the host does not know is unknown, and
 * a rule fires only where its condition is known to hold.
 */
export interface ConditionSettings {
  readonly all?: readonly ConditionSettings[] | undefined
  readonly any?: readonly ConditionSettings[] | undefined
  readonly not?: ConditionSettings | undefined
  /** Words and phrases, upper and lower case alike; a `*` at the end of one stands for the rest of a word. */
  readonly keyword?:
    | string
    | readonly string[]
    | { readonly words: string | readonly string[]; readonly in?: TextPart | undefined }
    | undefined
  /** A regular expression of the host's engine. */
  readonly expression?: string | { readonly pattern: string; readonly in?: TextPart | undefined } | undefined
  readonly promptLength?: (NumberSpan & { readonly unit?: 'tokens' | 'characters' | undefined }) | undefined
  /** Codes such as `de`; `unknown` where no language is certain. */
  readonly language?: string | readonly string[] | undefined
  readonly hasImages?: boolean | undefined
  readonly hasAudio?: boolean | undefined
  readonly hasTools?: boolean | undefined
  /** Names with their values; `*` for any. All names must fit. */
  readonly tag?: Readonly<Record<string, string | readonly string[]>> | undefined
  /** Groups of the caller; one is enough. */
  readonly group?: string | readonly string[] | undefined
  readonly time?: TimeWindow | undefined
  /** Share of the caller's budget that is left, 0 to 1. */
  readonly remainingBudget?: NumberSpan | undefined
  /** Only after the classifier the model may be left out: it is the chosen one then. */
  readonly health?:
    | 'healthy'
    | 'unhealthy'
    | { readonly model?: string | undefined; readonly is: 'healthy' | 'unhealthy' }
    | undefined
  /** Mean time to the first token of a model, in milliseconds. The model may be left out as for {@link health}. */
  readonly latency?:
    | { readonly model?: string | undefined; readonly minMs?: number | undefined; readonly maxMs?: number | undefined }
    | undefined
  /** Active labels; one is enough. Only after the classifier. */
  readonly label?: string | readonly string[] | undefined
  /** Score of the top label. Only after the classifier. */
  readonly score?: NumberSpan | undefined
}

/** A rule. It does exactly one of `use`, `only` and `skipClassifier`. */
export interface RuleSettings {
  /** Names the rule in decisions. @default `rule 1`, by its place */
  readonly name?: string | undefined
  /** @default 'before' */
  readonly at?: 'before' | 'after' | undefined
  readonly when: ConditionSettings
  /** A candidate, or the fallback: it serves. */
  readonly use?: string | undefined
  /**
   * Only these candidates stay, for every later rule too; the fallback only where it is among them. Before the
   * classifier only.
   */
  readonly only?: readonly string[] | undefined
  /** The candidates are not narrowed by labels. Before the classifier only. */
  readonly skipClassifier?: boolean | undefined
  /** Ends a conversation's stay on its model. */
  readonly overridesSticky?: boolean | undefined
}

/** How long a conversation stays on its model. */
export interface StickySettings {
  /** Since its last request. @default 3,600 */
  readonly ttlSeconds?: number | undefined
  /** The one that was silent longest is forgotten first. @default 10,000 */
  readonly maxConversations?: number | undefined
}

/** Chooses among the candidates that fit. */
export interface SelectSettings {
  /** `fitting`: the first one. */
  readonly by: 'fitting' | 'cheapest' | 'fastest'
  /** Tokens of an answer. @default 500 */
  readonly expectedOutputTokens?: number | undefined
  /** Share of the choices of `fastest` that try a model which was not measured lately, 0 to 0.5. @default 0.05 */
  readonly explore?: number | undefined
  /** From this age on a measurement is old. @default 600 */
  readonly staleSeconds?: number | undefined
}
