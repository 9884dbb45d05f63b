/** Steps of a threshold from 0 to 1. */
const STEPS = 100

/** Counts of true and false findings by score, in steps of a hundredth. */
export class ScoreCounts {
  private readonly trueFinds = new Float64Array(STEPS + 1)
  private readonly falseFinds = new Float64Array(STEPS + 1)

  add(score: number, isTrue: boolean): void {
    const counts = isTrue ? this.trueFinds : this.falseFinds
    const step = Math.min(STEPS, Math.max(0, Math.floor(score * STEPS)))
    counts[step] = (counts[step] ?? 0) + 1
  }

  /** The least threshold with the best F2, when the given number of labels could be found. */
  chooseThreshold(labels: number): number {
    let best = { threshold: 0, f2: -1 }
    let [found, wrong] = [0, 0]
    for (let step = STEPS; step >= 0; step--) {
      found += this.trueFinds[step] ?? 0
      wrong += this.falseFinds[step] ?? 0
      const f2 = toF(2, found, wrong, Math.max(0, labels - found))
      if (f2 >= best.f2) best = { threshold: step / STEPS, f2 }
    }
    return best.threshold
  }
}

/** The harmonic mean of precision and recall: F1 counts them alike, F2 counts recall four times. */
export function toF(beta: 1 | 2, found: number, wrong: number, missed: number): number {
  const weight = beta * beta
  const weighted = (1 + weight) * found
  return weighted === 0 ? 0 : weighted / (weighted + weight * missed + wrong)
}
