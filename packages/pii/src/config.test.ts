import { describe, expect, it } from 'vitest'
import type * as z from 'zod'
import { findLegacyPiiKeys, piiBlock, piiDetectionBlock } from './config.ts'

/** Settings without absent keys. */
const read = (schema: z.ZodType, block: unknown) => JSON.parse(JSON.stringify(schema.parse(block)))

describe('the pii block', () => {
  it('gives settings', () => {
    const block = {
      enabled: true,
      detectors: ['names', 'keys'],
      reversible_redactions: true,
      reversible_token_prefix: '<',
      reversible_token_suffix: '>',
      block_unscanned_media: true,
    }
    expect(read(piiBlock, block)).toEqual({
      enabled: true,
      detectors: ['names', 'keys'],
      reversibleRedactions: true,
      reversibleTokenPrefix: '<',
      reversibleTokenSuffix: '>',
      blockUnscannedMedia: true,
    })
  })

  it('accepts null for an absent key, and unknown keys', () => {
    expect(read(piiBlock, { enabled: null, detectors: null, patterns: [], x: 1 })).toEqual({})
  })

  it.each([{ enabled: 'yes' }, { detectors: 'names' }, { detectors: [1] }])('refuses %o', (block) => {
    expect(piiBlock.safeParse(block).success).toBe(false)
  })

  it('lists its keys of earlier versions', () => {
    expect(findLegacyPiiKeys({ enabled: true, response: {}, patterns: [] })).toEqual(['patterns', 'response'])
    expect(findLegacyPiiKeys({ enabled: true })).toEqual([])
    expect([undefined, null, 'pii', 7].flatMap(findLegacyPiiKeys)).toEqual([])
  })
})

describe('the pii_detection block', () => {
  it('gives settings of both tiers', () => {
    const block = {
      min_score: 0.5,
      entity_min_scores: { PER: 0.7 },
      default_action: 'allow',
      entity_actions: { EMAIL: 'mask', 'pattern name': 'block' },
      extend_to_next_word: ['FIRSTNAME'],
      extend_to_previous_word: ['LASTNAME'],
      protected_terms: ['Seerose'],
      protected_terms_files: ['terms.txt'],
      builtins: ['codehost_token', 'secrets'],
      patterns: [
        { name: 'badge', match: 'badge-\\d{4}', action: 'block', min_len: 10 },
        { name: 'b', match: 'abc' },
      ],
      deny_list: { PROJECT: ['Blue Heron'] },
      deny_list_files: { PROJECT: ['projects.txt'] },
      allow_list: ['info@lab.example'],
      allow_list_files: ['public.txt'],
      encodings: ['base64', 'reversed'],
      operators: { EMAIL: { keep_last: 4 }, IBAN: { hash_key_env: 'KEY' }, PHONE: { replace: '' } },
    }
    expect(read(piiDetectionBlock, block)).toEqual({
      minScore: 0.5,
      entityMinScores: { PER: 0.7 },
      defaultAction: 'allow',
      entityActions: { EMAIL: 'mask', 'pattern name': 'block' },
      extendToNextWord: ['FIRSTNAME'],
      extendToPreviousWord: ['LASTNAME'],
      protectedTerms: ['Seerose'],
      protectedTermsFiles: ['terms.txt'],
      builtins: ['codehost_token', 'secrets'],
      patterns: [
        { name: 'badge', match: 'badge-\\d{4}', action: 'block', minLen: 10 },
        { name: 'b', match: 'abc' },
      ],
      denyList: { PROJECT: ['Blue Heron'] },
      denyListFiles: { PROJECT: ['projects.txt'] },
      allowList: ['info@lab.example'],
      allowListFiles: ['public.txt'],
      encodings: ['base64', 'reversed'],
      operators: { EMAIL: { keepLast: 4 }, IBAN: { hashKeyEnv: 'KEY' }, PHONE: { replace: '' } },
    })
  })

  it.each([
    { default_action: 'redact' },
    { default_action: 'BLOCK' },
    { default_action: '' },
    { entity_actions: { EMAIL: 'hide' } },
    { min_score: 1.5 },
    { min_score: 'high' },
    { patterns: [{ name: 'x' }] },
    { patterns: [{ name: '', match: 'abc' }] },
    { patterns: [{ name: 'x', match: 'abc', min_len: -1 }] },
    { encodings: ['rot13'] },
    { operators: { EMAIL: {} } },
    { operators: { EMAIL: { keep_last: 0 } } },
    { operators: { EMAIL: { keep_last: 4, replace: 'x' } } },
    { operators: { EMAIL: { hash_key: 'in the file' } } },
    { builtins: ['everything'] },
  ])('refuses %o', (block) => {
    expect(piiDetectionBlock.safeParse(block).success).toBe(false)
  })

  it('names the wrong key', () => {
    const { error } = piiDetectionBlock.safeParse({ entity_actions: { EMAIL: 'hide' } })
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual(['entity_actions.EMAIL'])
  })
})
