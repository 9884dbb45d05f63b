import type { RouterSettings } from '../settings.ts'
import type { RouterProblem } from '../validate-settings.ts'
import type { ExpressionEngine } from './facts.ts'
import { type Rule, readRules } from './rules.ts'
import type { SelectSettings, StickySettings } from './settings.ts'
import { SettingsReader } from './settings-reader.ts'

const MAX_TTL_SECONDS = 30 * 24 * 3_600
const MAX_CONVERSATIONS = 1_000_000
const MAX_OUTPUT_TOKENS = 1_000_000
const MAX_STALE_SECONDS = 24 * 3_600
/** Half of the requests may try models that were not measured lately. */
const MAX_EXPLORE = 0.5

/** The settings of signals, read and compiled. */
export interface SignalPlan {
  readonly rules: readonly Rule[]
  readonly sticky: StickySettings | undefined
  readonly select: SelectSettings | undefined
  readonly problems: readonly RouterProblem[]
}

/** Reads `rules`, `sticky` and `select`. A mistake never throws: it is listed. */
export function readSignalPlan(settings: RouterSettings, expressions: ExpressionEngine | undefined): SignalPlan {
  const reader = new SettingsReader()
  const rules = readRules(settings, { expressions, reader })
  const sticky = readSticky(settings.sticky, reader)
  const select = readSelect(settings.select, reader)
  return { rules, sticky, select, problems: reader.problems }
}

/**
 * All mistakes in the rules of a router, in `sticky` and in `select`. Each stops the classifier: the fallback serves.
 *
 * @param options.expressions the engine that the router will use
 */
export function validateSignals(
  settings: RouterSettings,
  { expressions }: { readonly expressions?: ExpressionEngine | undefined } = {},
): readonly RouterProblem[] {
  return readSignalPlan(settings, expressions).problems
}

function readSticky(value: unknown, reader: SettingsReader): StickySettings | undefined {
  if (value === undefined) return undefined
  const path = ['sticky']
  const block = reader.object(value, path)
  if (block === undefined) return undefined
  reader.keys(block, ['ttlSeconds', 'maxConversations'], path)
  const count = (key: string, max: number): number | undefined =>
    block[key] === undefined ? undefined : reader.count(block[key], [...path, key], { min: 1, max })
  return {
    ttlSeconds: count('ttlSeconds', MAX_TTL_SECONDS),
    maxConversations: count('maxConversations', MAX_CONVERSATIONS),
  }
}

function readSelect(value: unknown, reader: SettingsReader): SelectSettings | undefined {
  if (value === undefined) return undefined
  const path = ['select']
  const block = reader.object(value, path)
  if (block === undefined) return undefined
  reader.keys(block, ['by', 'expectedOutputTokens', 'explore', 'staleSeconds'], path)
  const by = reader.word(block.by, ['fitting', 'cheapest', 'fastest'], [...path, 'by'])
  const number = (key: string, max: number): number | undefined =>
    block[key] === undefined ? undefined : reader.number(block[key], [...path, key], { min: 0, max })
  const expectedOutputTokens = number('expectedOutputTokens', MAX_OUTPUT_TOKENS)
  const explore = number('explore', MAX_EXPLORE)
  const staleSeconds = number('staleSeconds', MAX_STALE_SECONDS)
  return by && { by, expectedOutputTokens, explore, staleSeconds }
}
