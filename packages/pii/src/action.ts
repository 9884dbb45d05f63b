/** What becomes of a detection: rewritten, the request refused, or only recorded (§6.3). */
export type PiiAction = 'mask' | 'block' | 'allow'

const RANK: Readonly<Record<PiiAction, number>> = { allow: 1, mask: 2, block: 3 }

/** Below 0 when `one` is weaker than `other`, above when it is stronger: block before mask before allow. */
export function compareActions(one: PiiAction, other: PiiAction): number {
  return RANK[one] - RANK[other]
}

/** Whether a value is one of the three actions, spelt exactly. */
export function isPiiAction(value: unknown): value is PiiAction {
  return typeof value === 'string' && Object.hasOwn(RANK, value)
}
