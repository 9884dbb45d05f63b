import type { LineProblem } from '../corpus/load-entries.ts'
import type { OptionalSignal } from '../ports.ts'
import type { Router } from '../router.ts'
import type { ScoredText } from './fit-thresholds.ts'
import { type ConfusionCell, chooseExpected, countPairs } from './outcome.ts'
import { createProblemList, MAX_NAMED, readLabelledTexts } from './samples.ts'

/** A text that the wrong model serves. Names the text only by its line. */
export interface Miss {
  readonly line: number
  readonly expected: string
  readonly served: string
  readonly labels: readonly string[]
}

/** Results of a router on labelled texts. */
export interface Evaluation {
  readonly total: number
  readonly correct: number
  /** `correct` of `total`; 0 without texts. */
  readonly rate: number
  /** Texts that the classifier failed on: the fallback served them. */
  readonly failedCount: number
  readonly confusion: readonly ConfusionCell[]
  /** Rules that fired and the texts on which they did, the most frequent first; empty for a router without rules. */
  readonly rules: readonly { readonly name: string; readonly count: number }[]
  /** The first of the texts that were routed wrong. */
  readonly misses: readonly Miss[]
  /** The first of the lines that could not be read. */
  readonly problems: readonly LineProblem[]
  readonly problemCount: number
  /** The first texts with the scores of their labels, for {@link fitActivationThreshold}. */
  readonly scored: readonly ScoredText[]
}

/** Texts whose scores are kept. */
const MAX_SCORED = 10_000

/**
 * Routes the texts of a file, one JSON object a line: `{"text": "...", "labels": ["..."]}`, or `"model"` in the place
 * of `labels`. A text is routed right when the named model serves, or the model that its labels lead to. Without labels
 * that is the fallback.
 *
 * @throws the error of `decide`; the signal's reason
 */
export async function evaluateRouter(
  router: Router,
  { lines, signal, caller }: OptionalSignal & { readonly lines: AsyncIterable<string> | Iterable<string> },
): Promise<Evaluation> {
  const fired = new Map<string, number>()
  const pairs: [expected: string, served: string][] = []
  const misses: Miss[] = []
  const problems = createProblemList()
  const scored: ScoredText[] = []
  const counts = { total: 0, correct: 0, failedCount: 0 }
  for await (const { line, text, labels: wanted, model } of readLabelledTexts(lines, router.settings, problems)) {
    const expected = chooseExpected({ labels: wanted, model }, router.settings)
    const decision = await router.decide(text, { signal, caller, isTrial: true })
    const { servedModel: served, labels, labelScores, reason } = decision
    for (const { name } of decision.rules ?? []) fired.set(name, (fired.get(name) ?? 0) + 1)
    counts.total++
    pairs.push([expected, served])
    if (served === expected) counts.correct++
    else if (misses.length < MAX_NAMED) misses.push({ line, expected, served, labels })
    if (reason === 'classifier-failed' || reason === 'no-classifier') counts.failedCount++
    else if (scored.length < MAX_SCORED && decision.classifier !== 'none')
      scored.push({ labels: wanted, model, labelScores: labelScores ?? [] })
  }
  const rate = counts.total === 0 ? 0 : counts.correct / counts.total
  const { named, count: problemCount } = problems
  const rules = [...fired].map(([name, count]) => ({ name, count })).sort((one, other) => other.count - one.count)
  return { ...counts, rate, confusion: countPairs(pairs), rules, misses, problems: named, problemCount, scored }
}
