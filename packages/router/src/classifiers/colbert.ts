import { activateLabels, findTopLabel } from '../activation.ts'
import { classifierError } from '../errors.ts'
import type { Reranker, RerankScore } from '../ports.ts'
import type { RouterPolicy } from '../settings.ts'
import { createTrimmer } from '../trim.ts'
import type { Classifier } from './classification.ts'

/** Options of {@link createColbertClassifier}. */
export interface ColbertClassifierOptions {
  readonly reranker: Reranker
  readonly policies: readonly RouterPolicy[]
  readonly threshold: number
}

/** Ranks the descriptions of the policies by the prompt. The top label is active with any score. */
export function createColbertClassifier({ reranker, policies, threshold }: ColbertClassifierOptions): Classifier {
  const documents = policies.map(({ description }) => description)
  return {
    name: 'colbert',
    prepare: reranker.prepare,
    trimmer: createTrimmer({ tokens: reranker.tokens }),
    async classify(probe, call) {
      const ranking = await reranker.rerank({ query: probe.text, documents }, call)
      const scores = placeScores(ranking, documents.length)
      const labelScores = policies.map(({ label }, index) => ({ label, score: scores[index] ?? 0 }))
      return {
        labels: activateLabels(labelScores, { threshold, needsOne: true }),
        score: findTopLabel(labelScores)?.score ?? 0,
        labelScores,
        activationThreshold: threshold,
      }
    },
  }
}

/** Scores in the order of the documents. A missing score is 0; an index without a document is ignored. */
function placeScores(ranking: readonly RerankScore[], count: number): number[] {
  const scores = new Array<number | undefined>(count).fill(undefined)
  for (const { index, score } of ranking) {
    if (!Number.isFinite(score)) throw classifierError('the ranking model gave a score that is not a number')
    if (!Number.isSafeInteger(index) || index < 0 || index >= count) continue
    if (scores[index] !== undefined) throw classifierError('the ranking model gave two scores for one document')
    scores[index] = score
  }
  return scores.map((score) => score ?? 0)
}
