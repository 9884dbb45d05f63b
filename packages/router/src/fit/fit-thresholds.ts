import { activateLabels, type LabelScore } from '../activation.ts'
import type { Neighbor } from '../classifiers/classification.ts'
import { countVotes } from '../classifiers/vote.ts'
import { createEntryId } from '../corpus/entry.ts'
import { type EntriesById, indexEntries, keepOneDimension } from '../corpus/index-entries.ts'
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
import { giveTurn } from '../vector/give-turn.ts'
import { createVectorIndex } from '../vector/vector-index.ts'
import { type FitReport, searchGrid } from './grid.ts'
import type { EmbeddedText, Expectation } from './samples.ts'

/** Thresholds of `knn`. */
export interface KnnThresholds {
  readonly similarityThreshold: number
  readonly voteThreshold: number
}

/** A text's labels, or its model, and the score that a classifier gave each label for it. */
export interface ScoredText extends Expectation {
  readonly labelScores: readonly LabelScore[]
}

/** Most texts whose neighbours are looked up; a larger corpus or list is sampled evenly. */
const MAX_SAMPLES = 2_000
/** Lookups between which others get their turn. */
const LOOKUPS_PER_TURN = 16
/** Steps of an activation threshold. */
const ACTIVATION_STEPS = 100

/**
 * Thresholds of a `knn` router that fit its corpus: each text is classified by the others (leave one out). Of
 * similarity thresholds that do equally well the highest is proposed, because prompts unlike the corpus should go to
 * the fallback.
 *
 * @param entries as `readEntries` of a corpus gives them
 * @param options.texts further texts, classified by the corpus, as `embedLabelledTexts` gives them
 * @throws `router_samples` for fewer than two entries, or vectors of another length; the signal's reason
 */
export async function fitKnnThresholds(
  entries: readonly StoredEntry[],
  {
    settings,
    texts = [],
    signal,
  }: OptionalSignal & { readonly settings: RouterSettings; readonly texts?: readonly EmbeddedText[] | undefined },
): Promise<FitReport<KnnThresholds>> {
  checkSettings(settings, 'fitKnnThresholds: settings')
  if (entries.length < 2) throw samplesError('a corpus needs two entries or more')
  const { k, ...current } = resolveKnn(settings.knn)
  const { fitting, dimension } = keepOneDimension(new Map(entries.map((entry) => [createEntryId(entry.text), entry])))
  if (texts.some(({ vector }) => vector.length !== dimension)) {
    throw samplesError('the vectors of the texts have another length than those of the corpus')
  }
  const samples = [...spread([...fitting.values()]), ...spread(texts)]
  const labels = new Set(settings.policies.map(({ label }) => label))
  const neighbors = await leaveOneOut(fitting, samples, { k, signal: signal ?? new AbortController().signal })
  const similarities = listSteps(0, 0.95, current.similarityThreshold)
  const votes = listSteps(0.05, 1, current.voteThreshold)
  return searchGrid({
    ...settings,
    samples,
    grid: similarities.map((similarityThreshold) =>
      votes.map((voteThreshold) => ({ similarityThreshold, voteThreshold })),
    ),
    current: [similarities.indexOf(current.similarityThreshold), votes.indexOf(current.voteThreshold)],
    activate: createVoteCounter(neighbors, labels),
    prefer: (one, other) =>
      one.similarityThreshold - other.similarityThreshold ||
      compareNearness(current.voteThreshold, one.voteThreshold, other.voteThreshold),
  })
}

/**
 * The activation threshold of a `score`, `colbert` or `decisions` router that fits labelled texts. Of several best
 * thresholds, the one nearest to the present is proposed.
 *
 * @param texts with the scores of the router's decisions, under any present threshold
 * @throws `router_samples` without texts
 */
export function fitActivationThreshold(
  texts: readonly ScoredText[],
  { settings }: { readonly settings: RouterSettings },
): FitReport<number> {
  checkSettings(settings, 'fitActivationThreshold: settings')
  if (texts.length === 0) throw samplesError('there are no labelled texts')
  const classifier = readClassifierName(settings)
  const present = resolveActivationThreshold(settings)
  const thresholds = listThresholds(classifier === 'colbert' ? findTopScore(texts) : 1, present)
  return searchGrid({
    ...settings,
    samples: texts,
    grid: [thresholds],
    current: [0, thresholds.indexOf(present)],
    activate: (index, threshold) =>
      activateLabels(texts[index]?.labelScores ?? [], { threshold, needsOne: classifier !== 'decisions' }),
    prefer: (one, other) => compareNearness(present, one, other),
  })
}

/** Finds the active labels of a sample. The votes of a similarity threshold are counted once. */
function createVoteCounter(
  neighbors: readonly (readonly Neighbor[])[],
  labels: ReadonlySet<string>,
): (sample: number, thresholds: KnnThresholds) => string[] {
  const counted = new Map<number, readonly (readonly LabelScore[])[]>()
  return (sample, { similarityThreshold, voteThreshold }) => {
    const votes =
      counted.get(similarityThreshold) ?? neighbors.map((near) => countVotes(near, { similarityThreshold, labels }))
    counted.set(similarityThreshold, votes)
    return activateLabels(votes[sample] ?? [], { threshold: voteThreshold, needsOne: false })
  }
}

/** Above 0 where the first of two values is nearer to the present one. */
function compareNearness(present: number, one: number, other: number): number {
  return Math.abs(other - present) - Math.abs(one - present)
}

/** Steps of 0.05, and the present value among them. */
function listSteps(first: number, last: number, present: number): number[] {
  const count = Math.round((last - first) * 20) + 1
  return addSorted(
    Array.from({ length: count }, (_, index) => Math.round((first + index / 20) * 100) / 100),
    present,
  )
}

/** Thresholds up to the highest score, which may exceed 1 where scores are not probabilities. */
function listThresholds(topScore: number, present: number): number[] {
  const top = Math.max(1, topScore)
  const steps = Array.from({ length: ACTIVATION_STEPS - 1 }, (_, index) =>
    Number((((index + 1) * top) / ACTIVATION_STEPS).toPrecision(3)),
  )
  return addSorted(steps, present)
}

function addSorted(values: readonly number[], value: number): number[] {
  return [...new Set([...values, value])].sort((one, other) => one - other)
}

function findTopScore(texts: readonly ScoredText[]): number {
  let top = 0
  for (const { labelScores } of texts) for (const { score } of labelScores) top = Math.max(top, score)
  return top
}

function spread<T>(all: readonly T[]): readonly T[] {
  const step = Math.ceil(all.length / MAX_SAMPLES)
  return all.filter((_, index) => index % step === 0)
}

async function leaveOneOut(
  entries: EntriesById,
  samples: readonly Pick<EmbeddedText, 'text' | 'vector'>[],
  { k, signal }: CallOptions & { readonly k: number },
): Promise<Neighbor[][]> {
  const index = createVectorIndex({ maxEntries: entries.size })
  await indexEntries(index, entries, { signal })
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
