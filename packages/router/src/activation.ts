/** A label and the strength with which it applies. */
export interface LabelScore {
  readonly label: string
  readonly score: number
}

/** The label with the highest score, the first of equals. */
export function findTopLabel(scores: readonly LabelScore[]): LabelScore | undefined {
  return scores.reduce<LabelScore | undefined>(
    (top, each) => (top === undefined || each.score > top.score ? each : top),
    undefined,
  )
}

/** The highest score minus the second highest; undefined for fewer than two labels. */
export function measureGap(scores: readonly LabelScore[]): number | undefined {
  if (scores.length < 2) return undefined
  let [first, second] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const { score } of scores) {
    if (score > first) [first, second] = [score, first]
    else if (score > second) second = score
  }
  return first - second
}

/**
 * The labels whose score reaches a threshold, in the order given.
 *
 * @param options.needsOne whether the top label is active where no label reaches the threshold
 */
export function activateLabels(
  scores: readonly LabelScore[],
  { threshold, needsOne }: { readonly threshold: number; readonly needsOne: boolean },
): string[] {
  const active = scores.filter(({ score }) => score >= threshold).map(({ label }) => label)
  if (active.length > 0 || !needsOne) return active
  const top = findTopLabel(scores)
  return top === undefined ? [] : [top.label]
}
