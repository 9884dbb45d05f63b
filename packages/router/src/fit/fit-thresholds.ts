import { activateLabels, type LabelScore } from '../activation.ts'
import type { Neighbor } from '../classifiers/classification.ts'
import { countVotes } from '../classifiers/vote.ts'
import { createEntryId } from '../corpus/entry.ts'
import { giveTurn, indexEntries } from '../corpus/index-entries.ts'
import type { StoredEntry } from '../corpus/line.ts'
import { toNeighbors } from '../corpus/payload.ts'
import { RouterError } from '../errors.ts'
import type { CallOptions, OptionalSignal } from '../ports.ts'
import {
  checkSettings,
  type RouterSettings,
  readClassifierName,
  resolveActivationThreshold,
  resolveKnn,
} from '../settings.ts'
import { createVectorIndex } from '../vector/vector-index.ts'
import { type FitReport, searchGrid } from './grid.ts'

/** Thresholds of `knn`. */
export interface KnnThresholds {
  readonly similarityThreshold: number
  readonly voteThreshold: number
}

/** A text's labels, and the score that a classifier gave each label for it. */
export interface ScoredText {
  readonly labels: readonly string[]
  readonly labelScores: readonly LabelScore[]
}

/** Texts whose neighbours are looked up: of a larger corpus, as many spread over it. */
const MAX_SAMPLES = 2_000
/** Lookups between which others get their turn. */
const LOOKUPS_PER_TURN = 16

/**
 * Thresholds of a `knn` router that fit its corpus. Each text is classified by the others (leave one out).
 *
 * @param entries as `readEntries` of a corpus gives them
 * @throws `router_samples` for fewer than two entries; the signal's reason
 */
export async function fitKnnThresholds(
  entries: readonly StoredEntry[],
  { settings, signal }: OptionalSignal & { readonly settings: RouterSettings },
): Promise<FitReport<KnnThresholds>> {
  checkSettings(settings, 'fitKnnThresholds: settings')
  if (entries.length < 2) throw samplesError('a corpus needs two entries or more')
  const { k, ...current } = resolveKnn(settings.knn)
  const labels = new Set(settings.policies.map(({ label }) => label))
  const step = Math.ceil(entries.length / MAX_SAMPLES)
  const samples = entries.filter((_, index) => index % step === 0)
  const neighbors = await leaveOneOut(entries, samples, { k, signal: signal ?? new AbortController().signal })
  const similarities = listSteps(0, 0.95)
  const votes = listSteps(0.05, 1)
  return searchGrid({
    ...settings,
    samples,
    current,
    grid: similarities.map((similarityThreshold) =>
      votes.map((voteThreshold) => ({ similarityThreshold, voteThreshold })),
    ),
    activate: (index, { similarityThreshold, voteThreshold }) =>
      activateLabels(countVotes(neighbors[index] ?? [], { similarityThreshold, labels }), {
        threshold: voteThreshold,
        needsOne: false,
      }),
  })
}

/**
 * The activation threshold of a `score`, `colbert` or `decisions` router that fits labelled texts.
 *
 * @param texts with the scores of the router's decisions, whatever its threshold is now
 * @throws `router_samples` without texts
 */
export function fitActivationThreshold(
  texts: readonly ScoredText[],
  { settings }: { readonly settings: RouterSettings },
): FitReport<number> {
  checkSettings(settings, 'fitActivationThreshold: settings')
  if (texts.length === 0) throw samplesError('there are no labelled texts')
  const needsOne = readClassifierName(settings) !== 'decisions'
  return searchGrid({
    ...settings,
    samples: texts,
    current: resolveActivationThreshold(settings),
    grid: [Array.from({ length: 99 }, (_, index) => (index + 1) / 100)],
    activate: (index, threshold) => activateLabels(texts[index]?.labelScores ?? [], { threshold, needsOne }),
  })
}

/** Steps of 0.05. */
function listSteps(first: number, last: number): number[] {
  const count = Math.round((last - first) * 20) + 1
  return Array.from({ length: count }, (_, index) => Math.round((first + index / 20) * 100) / 100)
}

async function leaveOneOut(
  entries: readonly StoredEntry[],
  samples: readonly StoredEntry[],
  { k, signal }: CallOptions & { readonly k: number },
): Promise<Neighbor[][]> {
  const index = createVectorIndex({ maxEntries: entries.length })
  await indexEntries(index, new Map(entries.map((entry) => [createEntryId(entry.text), entry])), { signal })
  const all: Neighbor[][] = []
  for (const { text, vector } of samples) {
    if (all.length % LOOKUPS_PER_TURN === 0) await giveTurn()
    signal.throwIfAborted()
    const found = toNeighbors(await index.find(vector, { count: k + 1, signal }), Number.POSITIVE_INFINITY)
    const self = createEntryId(text)
    all.push(found.filter(({ id }) => id !== self).slice(0, k))
  }
  return all
}

function samplesError(message: string): RouterError {
  return new RouterError('invalid_request', message, { code: 'router_samples' })
}
