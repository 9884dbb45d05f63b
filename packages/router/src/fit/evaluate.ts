import type { LineProblem } from '../corpus/load-entries.ts'
import type { OptionalSignal } from '../ports.ts'
import type { Router } from '../router.ts'
import type { ScoredText } from './fit-thresholds.ts'
import { type ConfusionCell, chooseModel, countPairs } from './outcome.ts'

/** A text that another model serves than the one that should. Names it by its line alone. */
export interface Miss {
  readonly line: number
  readonly expected: string
  readonly served: string
  readonly labels: readonly string[]
}

/** How a router did on labelled texts. */
export interface Evaluation {
  readonly total: number
  readonly correct: number
  /** `correct` of `total`; 0 without texts. */
  readonly rate: number
  readonly confusion: readonly ConfusionCell[]
  /** The first of the texts that were routed wrong. */
  readonly misses: readonly Miss[]
  /** The first of the lines that could not be read. */
  readonly problems: readonly LineProblem[]
  readonly problemCount: number
  /** The first texts with the scores of their labels, for {@link fitActivationThreshold}. */
  readonly scored: readonly ScoredText[]
}

/** Lines that are named. */
const MAX_NAMED = 100
/** Texts whose scores are kept. */
const MAX_SCORED = 10_000

/**
 * Routes the texts of a file, one JSON object a line: `{"text": "...", "labels": ["..."]}`, or `"model"` in the place of
 * `labels`. A text is routed right where the model serves that is named, or that its labels lead to.
 *
 * @throws what `decide` throws; the signal's reason
 */
export async function evaluateRouter(
  router: Router,
  { lines, signal, caller }: OptionalSignal & { readonly lines: AsyncIterable<string> | Iterable<string> },
): Promise<Evaluation> {
  const pairs: [expected: string, served: string][] = []
  const misses: Miss[] = []
  const problems: LineProblem[] = []
  const scored: ScoredText[] = []
  const counts = { total: 0, correct: 0, problemCount: 0 }
  let line = 0
  for await (const text of lines) {
    line++
    if (text.trim() === '') continue
    const sample = parseSample(text)
    if (sample === undefined) {
      counts.problemCount++
      if (problems.length < MAX_NAMED) problems.push({ line, problem: 'is no text with labels or a model' })
      continue
    }
    const expected = sample.model ?? chooseModel(sample.labels, router.settings)
    const { servedModel: served, labels, labelScores = [] } = await router.decide(sample.text, { signal, caller })
    counts.total++
    pairs.push([expected, served])
    if (served === expected) counts.correct++
    else if (misses.length < MAX_NAMED) misses.push({ line, expected, served, labels })
    if (scored.length < MAX_SCORED) scored.push({ labels: sample.labels, labelScores })
  }
  const rate = counts.total === 0 ? 0 : counts.correct / counts.total
  return { ...counts, rate, confusion: countPairs(pairs), misses, problems, scored }
}

interface Sample {
  readonly text: string
  readonly labels: readonly string[]
  readonly model: string | undefined
}

function parseSample(line: string): Sample | undefined {
  try {
    const value: unknown = JSON.parse(line)
    if (typeof value !== 'object' || value === null) return undefined
    const { text, labels, model } = value as Partial<Record<string, unknown>>
    if (typeof text !== 'string') return undefined
    if (typeof model === 'string') return { text, labels: [], model }
    const isList = Array.isArray(labels) && labels.every((label) => typeof label === 'string')
    return isList ? { text, labels, model: undefined } : undefined
  } catch {
    return undefined
  }
}
