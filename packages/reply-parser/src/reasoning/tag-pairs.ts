import type { ReasoningSettings } from '../settings.ts'
import { endWithoutBlanks } from './blanks.ts'

/** The tags before and after a block of reasoning. */
export interface TagPair {
  readonly start: string
  readonly end: string
}

/** The tags that need no configuration. */
export const BUILT_IN_TAG_PAIRS: readonly TagPair[] = [
  { start: '<|START_THINKING|>', end: '<|END_THINKING|>' },
  { start: '<|inner_prefix|>', end: '<|inner_suffix|>' },
  { start: '<seed:think>', end: '</seed:think>' },
  { start: '<think>', end: '</think>' },
  { start: '<thinking>', end: '</thinking>' },
  { start: '<|think|>', end: '<|end|><|begin|>assistant<|content|>' },
  { start: '<|channel>thought', end: '<channel|>' },
  { start: '[THINK]', end: '[/THINK]' },
]

/** The tag pairs of settings that were asked for: each reply of a model asks for the same ones. */
const known = new WeakMap<ReasoningSettings, readonly TagPair[]>()

/**
 * The tag pairs of a model, its own first. Of several pairs with one start the first wins; half-empty pairs are
 * dropped. Settings do not change.
 */
export function listTagPairs(settings: ReasoningSettings): readonly TagPair[] {
  const pairs = known.get(settings) ?? findTagPairs(settings)
  known.set(settings, pairs)
  return pairs
}

function findTagPairs(settings: ReasoningSettings): readonly TagPair[] {
  const pairs = new Map<string, TagPair>()
  for (const { start = '', end = '' } of [...(settings.tagPairs ?? []), ...BUILT_IN_TAG_PAIRS]) {
    if (start !== '' && end !== '' && !pairs.has(start)) pairs.set(start, { start, end })
  }
  return [...pairs.values()]
}

/**
 * Finds the start token that a rendered prompt ends with, white space aside: the reply then begins inside a block. A
 * token earlier in the prompt, or one closed there, does not count.
 */
export function findPrefilledToken(prompt: string, settings: ReasoningSettings): string | undefined {
  const tokens = [...(settings.thinkingStartTokens ?? []), ...listTagPairs(settings).map(({ start }) => start)]
  const end = endWithoutBlanks(prompt)
  return tokens.find((token) => token !== '' && prompt.endsWith(token, end))
}
