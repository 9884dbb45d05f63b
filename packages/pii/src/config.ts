/**
 * Schemas of the blocks `pii` and `pii_detection` of a model file (§2.10, §2.11): plain data from YAML or JSON in,
 * settings out. The only entry of the package that needs zod.
 *
 * @module
 */
import * as z from 'zod'
import { ENCODINGS } from './encoded/encodings.ts'
import { FAKE_KINDS } from './fakes/fake-names.ts'
import { findOperatorFault, type MaskOperator } from './operators/operators.ts'
import { BUILTIN_NAMES, BUILTIN_SETS } from './pattern/builtin-names.ts'
import { PHONE_REGIONS } from './pattern/structured-names.ts'
import type { DetectionSettings, PiiSettings } from './settings.ts'

const flag = z.boolean().nullish()
const text = z.string().nullish()
const list = z.array(z.string()).nullish()
const action = z.enum(['mask', 'block', 'allow'])

/** The `pii` block. Unknown keys are ignored; see {@link findLegacyPiiKeys}. */
export const piiBlock = z
  .looseObject({
    enabled: flag,
    detectors: list,
    reversible_redactions: flag,
    reversible_token_prefix: text,
    reversible_token_suffix: text,
    block_unscanned_media: flag,
  })
  .transform(
    (block): PiiSettings => ({
      enabled: block.enabled ?? undefined,
      detectors: block.detectors ?? undefined,
      reversibleRedactions: block.reversible_redactions ?? undefined,
      reversibleTokenPrefix: block.reversible_token_prefix ?? undefined,
      reversibleTokenSuffix: block.reversible_token_suffix ?? undefined,
      blockUnscannedMedia: block.block_unscanned_media ?? undefined,
    }),
  )

const customPattern = z
  .looseObject({
    name: z.string().min(1),
    match: z.string().min(1),
    action: action.nullish(),
    min_len: z.int().min(0).nullish(),
    fold: flag,
  })
  .transform(({ name, match, action, min_len, fold }) => {
    return { name, match, action: action ?? undefined, minLen: min_len ?? undefined, fold: fold ?? undefined }
  })

const operator = z
  .strictObject({
    replace: text,
    keep_last: z.int().nullish(),
    hash_key_env: text,
    custom: text,
    fake: z.enum(FAKE_KINDS).nullish(),
  })
  .transform((read): MaskOperator => {
    return {
      replace: read.replace ?? undefined,
      keepLast: read.keep_last ?? undefined,
      hashKeyEnv: read.hash_key_env ?? undefined,
      custom: read.custom ?? undefined,
      fake: read.fake ?? undefined,
    }
  })
  .superRefine((read, context) => {
    const fault = findOperatorFault(read)
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault })
  })

/** The `pii_detection` block. Refuses an unknown action; the detector checks the patterns. */
export const piiDetectionBlock = z
  .looseObject({
    min_score: z.number().min(0).max(1).nullish(),
    entity_min_scores: z.record(z.string(), z.number().min(0).max(1)).nullish(),
    default_action: action.nullish(),
    entity_actions: z.record(z.string(), action).nullish(),
    extend_to_next_word: list,
    extend_to_previous_word: list,
    protected_terms: list,
    protected_terms_files: list,
    builtins: z.array(z.enum([...BUILTIN_SETS, ...BUILTIN_NAMES])).nullish(),
    patterns: z.array(customPattern).nullish(),
    deny_list: z.record(z.string(), z.array(z.string())).nullish(),
    deny_list_files: z.record(z.string(), z.array(z.string())).nullish(),
    allow_list: list,
    allow_list_files: list,
    checked_only: flag,
    phone_regions: z.array(z.enum(PHONE_REGIONS)).nullish(),
    encodings: z.array(z.enum(ENCODINGS)).nullish(),
    operators: z.record(z.string(), operator).nullish(),
  })
  .transform(
    (block): DetectionSettings => ({
      minScore: block.min_score ?? undefined,
      entityMinScores: block.entity_min_scores ?? undefined,
      defaultAction: block.default_action ?? undefined,
      entityActions: block.entity_actions ?? undefined,
      extendToNextWord: block.extend_to_next_word ?? undefined,
      extendToPreviousWord: block.extend_to_previous_word ?? undefined,
      protectedTerms: block.protected_terms ?? undefined,
      protectedTermsFiles: block.protected_terms_files ?? undefined,
      builtins: block.builtins ?? undefined,
      patterns: block.patterns ?? undefined,
      phoneRegions: block.phone_regions ?? undefined,
      denyList: block.deny_list ?? undefined,
      denyListFiles: block.deny_list_files ?? undefined,
      allowList: block.allow_list ?? undefined,
      allowListFiles: block.allow_list_files ?? undefined,
      checkedOnly: block.checked_only ?? undefined,
      encodings: block.encodings ?? undefined,
      operators: block.operators ?? undefined,
    }),
  )

/** Keys of `pii` from earlier versions of the filter: accepted, without effect, to be warned of once (§9). */
export const LEGACY_PII_KEYS: readonly string[] = ['patterns', 'response', 'mode', 'actions', 'builtins']

/** Finds the legacy keys of a `pii` block. */
export function findLegacyPiiKeys(block: unknown): string[] {
  if (typeof block !== 'object' || block === null) return []
  return LEGACY_PII_KEYS.filter((key) => Object.hasOwn(block, key))
}
