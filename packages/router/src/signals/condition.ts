import type { RequestView } from './view.ts'

/** What a signal says: it holds, it does not, or nobody knows. */
export type Truth = boolean | undefined

/** A signal with the value by which it was judged. */
export interface SignalNote {
  /** Its name in a model file, such as `has_images`; `not …` where its opposite was asked. */
  readonly signal: string
  /** Never a text of the prompt: a keyword or a pattern is that of the rule. */
  readonly value: string
}

/** A compiled condition. */
export type Condition = (view: RequestView, notes: NoteList) => Truth

/** Most signals that an explanation names. */
const MAX_NOTES = 16

/** Collects the signals by which a condition holds. */
export class NoteList {
  readonly notes: SignalNote[]
  /** Whether an odd number of `not` is around the present condition. */
  readonly isNegated: boolean

  constructor(notes: SignalNote[] = [], isNegated = false) {
    this.notes = notes
    this.isNegated = isNegated
  }

  negate(): NoteList {
    return new NoteList(this.notes, !this.isNegated)
  }

  /** Keeps a signal that says what is wanted of it. */
  add(truth: Truth, signal: string, value: string): void {
    if (truth !== !this.isNegated || this.notes.length >= MAX_NOTES) return
    this.notes.push({ signal: this.isNegated ? `not ${signal}` : signal, value })
  }
}

/** A signal as a condition. */
export function toCondition(
  signal: string,
  judge: (view: RequestView) => { readonly truth: Truth; readonly value: string },
): Condition {
  return (view, notes) => {
    const { truth, value } = judge(view)
    notes.add(truth, signal, value)
    return truth
  }
}

/** Holds where all hold; fails where one fails; is unknown otherwise. */
export function all(conditions: readonly Condition[]): Condition {
  return (view, notes) => {
    let isUnknown = false
    for (const condition of conditions) {
      const truth = condition(view, notes)
      if (truth === false) return false
      isUnknown ||= truth === undefined
    }
    return isUnknown ? undefined : true
  }
}

/** Holds where one holds; fails where all fail; is unknown otherwise. */
export function any(conditions: readonly Condition[]): Condition {
  return (view, notes) => {
    let isUnknown = false
    for (const condition of conditions) {
      const truth = condition(view, notes)
      if (truth === true) return true
      isUnknown ||= truth === undefined
    }
    return isUnknown ? undefined : false
  }
}

/** Turns holding and failing around; what is unknown stays unknown. */
export function not(condition: Condition): Condition {
  return (view, notes) => {
    const truth = condition(view, notes.negate())
    return truth === undefined ? undefined : !truth
  }
}
