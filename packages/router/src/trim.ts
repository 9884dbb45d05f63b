import type { CallOptions, TokenBudget } from './ports.ts'
import { createProbe, type Probe } from './probe/probe.ts'

/** Tokens that stay free for the answer and for the text that a template adds. */
const RESERVED_TOKENS = 32
/** A text longer than this cannot fit, whatever it says: it is cut before its tokens are counted. */
const CHARACTERS_PER_TOKEN = 6
/** The longest probe of a classifier that says nothing of its context, in UTF-16 code units. */
export const MAX_PROBE_LENGTH = 65_536
/** Most cuts of the newest turn. After them it is sent as it is. */
const MAX_CUTS = 4

/** Options of {@link createTrimmer}. */
export interface TrimmerOptions {
  readonly tokens: TokenBudget | undefined
  /** Everything that is sent for a probe, to count it. @default the probe */
  readonly render?: ((probe: string) => string) | undefined
  /** Tokens of the longest answer. @default 0 */
  readonly answerTokens?: number | undefined
}

/** Cuts probes to what a model reads. */
export interface Trimmer {
  /** Whether a probe may be too long. */
  isNeeded(probe: Probe): boolean
  /** Cuts only by length, without a tokenizer. */
  cutRoughly(probe: Probe): Probe
  /**
   * Drops whole turns, the oldest first; where the newest does not fit by itself, its middle goes. A tokenizer that
   * fails leaves the cut by length.
   *
   * @throws the signal's reason
   */
  trim(probe: Probe, options: CallOptions): Promise<Probe>
}

/** A trimmer for one model. */
export function createTrimmer({ tokens, render = (text) => text, answerTokens = 0 }: TrimmerOptions): Trimmer {
  const budget =
    tokens === undefined ? undefined : Math.max(1, Math.floor(tokens.contextSize) - answerTokens - RESERVED_TOKENS)
  const longest = budget === undefined ? MAX_PROBE_LENGTH : Math.min(MAX_PROBE_LENGTH, budget * CHARACTERS_PER_TOKEN)
  const around = render('').length
  // A token takes a byte at least, and a code unit three bytes at most.
  const surelyFits = (text: string) => budget !== undefined && (around + text.length) * 3 <= budget
  const cut = (probe: Probe) => cutRoughly(probe, longest)
  return {
    isNeeded: ({ text }) => text.length > longest || (budget !== undefined && !surelyFits(text)),
    cutRoughly: cut,
    async trim(probe, call) {
      const rough = cut(probe)
      if (tokens === undefined || budget === undefined) return rough
      const count = async (text: string) => (surelyFits(text) ? 0 : await tokens.countTokens(render(text), call))
      try {
        return await cutToTokens(rough, budget, count)
      } catch (error) {
        if (call.signal.aborted) throw error
        return rough
      }
    },
  }
}

function cutRoughly(probe: Probe, longest: number): Probe {
  if (probe.text.length <= longest) return probe
  let first = probe.turns.length
  let length = 0
  while (first > 0 && length + (probe.turns[first - 1]?.length ?? 0) + 1 <= longest) {
    first--
    length += (probe.turns[first]?.length ?? 0) + 1
  }
  if (first < probe.turns.length) return createProbe(probe.turns.slice(first))
  return createProbe([cutMiddle(probe.turns.at(-1) ?? '', longest)])
}

async function cutToTokens(probe: Probe, budget: number, count: (text: string) => Promise<number>): Promise<Probe> {
  if ((await count(probe.text)) <= budget) return probe
  // The most turns that fit: more turns never take fewer tokens.
  let [fits, tooMany] = [0, probe.turns.length]
  while (tooMany - fits > 1) {
    const turns = Math.floor((fits + tooMany) / 2)
    if ((await count(createProbe(probe.turns.slice(-turns)).text)) <= budget) fits = turns
    else tooMany = turns
  }
  if (fits > 0) return createProbe(probe.turns.slice(-fits))
  return await cutNewest(probe.turns.at(-1) ?? '', budget, count)
}

async function cutNewest(turn: string, budget: number, count: (text: string) => Promise<number>): Promise<Probe> {
  let newest = turn
  const around = await count('')
  for (let cut = 0; cut < MAX_CUTS && newest.length > 1; cut++) {
    const taken = await count(createProbe([newest]).text)
    if (taken <= budget) break
    const share = Math.max(0, (budget - around) / Math.max(1, taken - around))
    // A little less than the share: not all parts of a text take as many tokens.
    newest = cutMiddle(newest, Math.max(1, Math.min(newest.length - 1, Math.floor(newest.length * share * 0.95))))
  }
  return createProbe([newest])
}

/** The beginning and the end of a text, which say most of the question. */
function cutMiddle(text: string, length: number): string {
  if (text.length <= length) return text
  const half = Math.max(0, Math.floor((length - 1) / 2))
  const [end, start] = [half, text.length - half]
  // An edge that would cut a character in two drops the character.
  return `${text.slice(0, isInsideCharacter(text, end) ? end - 1 : end)}\n${text.slice(isInsideCharacter(text, start) ? start + 1 : start)}`
}

function isInsideCharacter(text: string, offset: number): boolean {
  const [before, after] = [text.charCodeAt(offset - 1), text.charCodeAt(offset)]
  return before >= 0xd800 && before <= 0xdbff && after >= 0xdc00 && after <= 0xdfff
}
