import type { RouterCandidate } from './settings.ts'

/** The first candidate that covers all active labels. No candidate covers an empty set. */
export function selectCandidate(
  candidates: readonly RouterCandidate[],
  active: readonly string[],
): RouterCandidate | undefined {
  if (active.length === 0) return undefined
  return candidates.find(({ labels }) => active.every((label) => labels.includes(label)))
}
