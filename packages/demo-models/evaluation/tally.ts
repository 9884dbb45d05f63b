/** One line of a result. */
export interface Score {
  readonly set: string
  readonly right: number
  readonly of: number
}

/** A wrong answer with its question, for reading. */
export interface Failure {
  readonly set: string
  readonly asked: unknown
  readonly wanted: string
  readonly given: string
}

/** The set of all answers: correct means that the model ended the answer itself. */
const ENDED = 'ends by itself within 200 tokens'

/** Counts right answers by set, in the order in which sets first appear. */
export class Tally {
  readonly #sets = new Map<string, { right: number; of: number }>()
  readonly #ended = { right: 0, of: 0 }
  readonly failures: Failure[] = []

  /** Answers counted so far. */
  get answers(): number {
    return this.#ended.of
  }

  count(set: string, isRight: boolean, failure: Omit<Failure, 'set'>): void {
    const row = this.#sets.get(set) ?? { right: 0, of: 0 }
    row.of++
    if (isRight) row.right++
    else this.failures.push({ set, ...failure })
    this.#sets.set(set, row)
  }

  /** Counts an answer by whether the model ended it, for any text. */
  countAnswer(hasEnded: boolean, failure: Omit<Failure, 'set'>): void {
    this.#ended.of++
    if (hasEnded) this.#ended.right++
    else this.failures.push({ set: ENDED, ...failure })
  }

  scores(): readonly Score[] {
    const sets = [...this.#sets].map(([set, row]) => ({ set, ...row }))
    return this.#ended.of === 0 ? sets : [...sets, { set: ENDED, ...this.#ended }]
  }
}

/** Per cent of right answers, 0 to 100. */
export function percent({ right, of }: Pick<Score, 'right' | 'of'>): number {
  return (100 * right) / of
}
