import type { PiiAction } from './action.ts'
import type { Encoding } from './encoded/encodings.ts'
import type { BuiltinName } from './pattern/builtin-names.ts'
import type { PolicySettings } from './policy.ts'

/** The `pii` block of a model whose requests are filtered (§2.10). */
export interface PiiSettings {
  /** Always wins. @default what the model's backend says */
  readonly enabled?: boolean | undefined
  /** Names of detector models. @default those of the instance */
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

/** The part of `pii_detection` that a model which recognises entities goes by (§2.11). */
export interface NerSettings extends PolicySettings {
  /** Detections below it are dropped, 0..1. @default 0 */
  readonly minScore?: number | undefined
  /** Groups whose detections also cover the next word on the line. */
  readonly extendToNextWord?: readonly string[] | undefined
  /** Groups whose detections also cover the word before, of letters, `-` and `'`. */
  readonly extendToPreviousWord?: readonly string[] | undefined
  /** Whole words or runs of words that are never detected, whatever their case; shorter than 3 characters: ignored. */
  readonly protectedTerms?: readonly string[] | undefined
  /** Files with a term a line, as `TermFiles` takes them. */
  readonly protectedTermsFiles?: readonly string[] | undefined
}

/** One pattern of an operator. */
export interface CustomPattern {
  /** The group of its matches. */
  readonly name: string
  readonly match: string
  /** Of its matches, unless `entityActions` names the group. @default the policy of the detector */
  readonly action?: PiiAction | undefined
  /** Shorter matches are dropped, in bytes of UTF-8. @default 0 */
  readonly minLen?: number | undefined
}

/** The whole `pii_detection` block of a detector model (§2.11); with both tiers, both run. */
export interface DetectionSettings extends NerSettings {
  /** Names of the catalogue of built-in patterns. */
  readonly builtins?: readonly BuiltinName[] | undefined
  readonly patterns?: readonly CustomPattern[] | undefined
  /** Ways of writing a text that built-ins and patterns are also looked for behind. @default none */
  readonly encodings?: readonly Encoding[] | undefined
}
