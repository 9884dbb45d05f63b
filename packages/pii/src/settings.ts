import type { PiiAction } from './action.ts'
import type { DenyList, DenyListFiles } from './deny-list.ts'
import type { Encoding } from './encoded/encodings.ts'
import type { MinScores } from './min-scores.ts'
import type { MaskOperators } from './operators/operators.ts'
import type { BuiltinName, BuiltinSet } from './pattern/builtin-names.ts'
import type { PolicySettings } from './policy.ts'

/** The `pii` block of a model whose requests are filtered (§2.10). */
export interface PiiSettings {
  /** Always wins. @default the setting of the model's backend */
  readonly enabled?: boolean | undefined
  /** Names of detector models. @default the detectors of the instance */
  readonly detectors?: readonly string[] | undefined
  /** @default false */
  readonly reversibleRedactions?: boolean | undefined
  /** @default '[REDACTED:' */
  readonly reversibleTokenPrefix?: string | undefined
  /** @default ']' */
  readonly reversibleTokenSuffix?: string | undefined
  /** @default false */
  readonly blockUnscannedMedia?: boolean | undefined
}

/** The part of `pii_detection` that entity recognition uses (§2.11). */
export interface NerSettings extends PolicySettings {
  /** Minimum score of detections, 0..1. @default 0 */
  readonly minScore?: number | undefined
  /** Minimum scores by group, 0..1; override `minScore`, and hold for patterns too. @default none */
  readonly entityMinScores?: MinScores | undefined
  /** Groups whose detections also cover the next word on the line. */
  readonly extendToNextWord?: readonly string[] | undefined
  /** Groups whose detections also cover the word before, of letters, `-` and `'`. */
  readonly extendToPreviousWord?: readonly string[] | undefined
  /** Whole words or runs of words that are never detected, in any case; terms shorter than 3 characters are ignored. */
  readonly protectedTerms?: readonly string[] | undefined
  /** Files with a term a line, for `TermFiles`. */
  readonly protectedTermsFiles?: readonly string[] | undefined
}

/** One pattern of an operator. */
export interface CustomPattern {
  /** The group of its matches. */
  readonly name: string
  readonly match: string
  /** Action of its matches, unless `entityActions` names the group. @default the policy of the detector */
  readonly action?: PiiAction | undefined
  /** Minimum length of matches, in bytes of UTF-8. @default 0 */
  readonly minLen?: number | undefined
  /** Whether digits of other scripts and look-alike letters match as those of ASCII. @default false */
  readonly fold?: boolean | undefined
}

/** The whole `pii_detection` block of a detector model (§2.11); with both tiers, both run. */
export interface DetectionSettings extends NerSettings {
  /** Names of the catalogue of built-ins, or of several together: `secrets`, `structured`, `all`. */
  readonly builtins?: readonly (BuiltinName | BuiltinSet)[] | undefined
  readonly patterns?: readonly CustomPattern[] | undefined
  /** Terms that are always found, by group: whole words or runs of words, in any case. @default none */
  readonly denyList?: DenyList | undefined
  /** Values that are never found: the whole text of a finding, in any case. @default none */
  readonly allowList?: readonly string[] | undefined
  /** Files with terms of `denyList`, for `TermFiles`: one a line. @default none */
  readonly denyListFiles?: DenyListFiles | undefined
  /** Files with values of `allowList`, for `TermFiles`: one a line. @default none */
  readonly allowListFiles?: readonly string[] | undefined
  /** Whether values count only where their range and check are right, and not by a label alone. @default false */
  readonly checkedOnly?: boolean | undefined
  /** Regions (ISO 3166-1) whose telephone numbers count in their national form, without a label too. @default none */
  readonly phoneRegions?: readonly string[] | undefined
  /** Encodings that are decoded to search built-ins and patterns. @default none */
  readonly encodings?: readonly Encoding[] | undefined
  /** Other replacements than the fixed text, by group. @default none */
  readonly operators?: MaskOperators | undefined
}
