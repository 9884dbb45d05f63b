/** Consequence of a detection: mask it, refuse the request, or only record it (§6.3). */
export type PiiAction = 'mask' | 'block' | 'allow'

const RANK: Readonly<Record<PiiAction, number>> = { allow: 1, mask: 2, block: 3 }

/**
 * Compares strengths: negative when `one` is weaker than `other`, positive when it is stronger. Block is stronger than
 * mask, mask than allow.
 */
export function compareActions(one: PiiAction, other: PiiAction): number {
  return RANK[one] - RANK[other]
}

/** Whether a value is one of the three actions, spelt exactly. */
export function isPiiAction(value: unknown): value is PiiAction {
  return typeof value === 'string' && Object.hasOwn(RANK, value)
}
