/** A candidate, as a step of the search. */
export interface WalkStep {
  readonly model: string
  readonly labels: readonly string[]
  /** Active labels that the candidate does not serve. */
  readonly missing: readonly string[]
  /**
   * `picked`: the first that serves all active labels. `passed`: lacks some. `unreached`: comes after the picked one.
   */
  readonly outcome: 'picked' | 'passed' | 'unreached'
}

/** Walks over the candidates in their order. Without an active label nothing is picked. */
export function walkCandidates(
  candidates: readonly { readonly model: string; readonly labels: readonly string[] }[],
  active: readonly string[],
): WalkStep[] {
  let isFound = false
  return candidates.map(({ model, labels }) => {
    const missing = active.filter((label) => !labels.includes(label))
    if (isFound) return { model, labels, missing, outcome: 'unreached' }
    isFound = active.length > 0 && missing.length === 0
    return { model, labels, missing, outcome: isFound ? 'picked' : 'passed' }
  })
}
