import { PairQueue } from './pair-queue.ts'
import type { Counter } from './program.ts'

/**
 * Everything that is inside one counter: for each entry the step at which it entered and the start of its match. All of
 * them count on with every round of the row, so that nothing is touched but the ends of the queue: a step costs the length
 * of the row, however large the bounds are.
 */
export class CountingQueue {
  private readonly counter: Counter
  /** By step modulo the length of the row: entries that have too few rounds to leave, oldest first. */
  private readonly waiting: PairQueue[]
  /** Entries that may leave, oldest first; starts ascend, an entry with an earlier start than its elders' displaces them. */
  private readonly ready: PairQueue[]

  constructor(counter: Counter) {
    this.counter = counter
    this.waiting = counter.row.map(() => new PairQueue())
    this.ready = counter.row.map(() => new PairQueue())
  }

  /** Takes in a match that began at `start`. */
  enter(step: number, start: number, isDead: (start: number) => boolean): void {
    const waiting = this.waiting[step % this.waiting.length]
    if (waiting === undefined) return
    if (this.counter.max === Number.POSITIVE_INFINITY && waiting.size > 0) {
      // Without an upper bound, the elder entry with the earlier start can do whatever this one could.
      const elder = waiting.backSecond()
      if (elder <= start && !isDead(elder)) return
    }
    waiting.push(step, start)
  }

  get isEmpty(): boolean {
    return this.waiting.every((queue) => queue.size === 0) && this.ready.every((queue) => queue.size === 0)
  }

  /** Reads a character: entries whose row goes on in another way are gone. */
  take(step: number, characterClass: number): void {
    const { row } = this.counter
    const length = row.length
    for (let phase = 0; phase < length; phase++) {
      if (row[(step - phase + length * 2) % length]?.[characterClass] === 1) continue
      this.waiting[phase]?.clear()
      this.ready[phase]?.clear()
    }
  }

  /** The earliest start that may leave in front of this step; -1 when none. `isDead` tells starts that no longer count. */
  leaving(step: number, isDead: (start: number) => boolean): number {
    const { row, min, max } = this.counter
    const phase = step % row.length
    const waiting = this.waiting[phase]
    const ready = this.ready[phase]
    if (waiting === undefined || ready === undefined) return -1
    while (waiting.size > 0 && (step - waiting.frontFirst()) / row.length >= Math.max(min, 1)) {
      const entered = waiting.frontFirst()
      const start = waiting.frontSecond()
      waiting.dropFront()
      if (isDead(start)) continue
      // With the same start or a later one, the younger entry can still do whatever the elder can.
      while (ready.size > 0 && (ready.backSecond() >= start || isDead(ready.backSecond()))) ready.dropBack()
      if (ready.size > 0 && max === Number.POSITIVE_INFINITY) continue
      ready.push(entered, start)
    }
    while (ready.size > 0 && ((step - ready.frontFirst()) / row.length > max || isDead(ready.frontSecond()))) {
      ready.dropFront()
    }
    return ready.size === 0 ? -1 : ready.frontSecond()
  }
}
