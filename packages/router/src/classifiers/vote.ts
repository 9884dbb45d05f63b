import type { LabelScore } from '../activation.ts'
import type { ResolvedKnn } from '../settings.ts'
import type { Neighbor } from './classification.ts'

/** The shares of labels among neighbours, the largest first; equal shares by label. */
export function countVotes(
  neighbors: readonly Neighbor[],
  {
    similarityThreshold,
    labels: known,
  }: Pick<ResolvedKnn, 'similarityThreshold'> & { readonly labels?: ReadonlySet<string> | undefined },
): LabelScore[] {
  const shares = new Map<string, number>()
  let total = 0
  for (const { similarity, labels } of neighbors) {
    if (labels === undefined || !(similarity >= similarityThreshold)) continue
    total += similarity
    for (const label of new Set(labels)) shares.set(label, (shares.get(label) ?? 0) + similarity)
  }
  // The threshold allows similarities of zero or below: there are no shares then.
  if (!(total > 0)) return []
  return [...shares]
    .filter(([label]) => known === undefined || known.has(label))
    .map(([label, sum]) => ({ label, score: sum / total }))
    .sort((one, other) => other.score - one.score || (one.label < other.label ? -1 : 1))
}
