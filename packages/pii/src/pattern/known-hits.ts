import type { Span } from '../span.ts'

/** A range with the rule that found it. */
export interface FoundBy<Rule> extends Span {
  readonly rule: Rule
}

/** Hits of one rule in a row, their starts ascending. */
interface Run {
  readonly from: number
  readonly to: number
  /** Position of the last search: queries come nearly in the order of the text. */
  at: number
}

/** Known findings of a document: a secret in one part of a message is found in the part and in the message. */
export class KnownHits<Rule> {
  readonly #hits: readonly FoundBy<Rule>[]
  readonly #runs = new Map<Rule, Run[]>()

  /** @param hits rule by rule, each in the order of the text, once or several times; may be extended */
  constructor(hits: readonly FoundBy<Rule>[]) {
    this.#hits = hits
    for (let from = 0, at = 1; from < hits.length; at++) {
      const [before, next] = [hits[at - 1], hits[at]]
      if (before === undefined || (next?.rule === before.rule && next.start >= before.start)) continue
      const runs = this.#runs.get(before.rule) ?? []
      runs.push({ from, to: at, at: from })
      this.#runs.set(before.rule, runs)
      from = at
    }
  }

  /** Whether an equal hit is not among them. */
  isNew({ start, end }: Span, rule: Rule): boolean {
    for (const run of this.#runs.get(rule) ?? []) {
      this.#goTo(run, start)
      for (let at = run.at; at < run.to && this.#startAt(at) === start; at++) {
        if (this.#hits[at]?.end === end) return false
      }
    }
    return true
  }

  /** Goes to the first hit of a run that begins at an offset or later. */
  #goTo(run: Run, start: number): void {
    while (run.at > run.from && this.#startAt(run.at - 1) >= start) run.at--
    while (run.at < run.to && this.#startAt(run.at) < start) run.at++
  }

  #startAt(index: number): number {
    return this.#hits[index]?.start ?? 0
  }
}
