import type { Expiring } from '../limits/deadlines.ts'
import type { Limits } from '../limits/limits.ts'
import type { ProxyParts } from '../proxy-parts.ts'

/**
 * `request`: the body is read for the filter. `verdict`: the filter works. `head`: the host has not answered. `reply`:
 * the reply goes to the client. `drain`: only the client has something left to do.
 */
export type Phase = 'request' | 'verdict' | 'head' | 'reply' | 'drain'

/** Longest time that the rest of an unwanted body is read, milliseconds. */
const DRAIN_MS = 10_000

/** The time of one exchange: its phases with their limits, and its end. */
export class Lifetime implements Expiring {
  readonly #limits: Limits
  readonly #deadlines: ProxyParts['deadlines']
  readonly #onExpired: (phase: Phase) => void
  /** Made when something waits for the client's end; most requests pass without. */
  #gone: AbortController | undefined
  #phase: Phase = 'request'
  #phaseBegun = performance.now()
  #isOver = false
  deadline: number

  /** @param onExpired called each time that the limit of a phase has passed */
  constructor({ limits, deadlines }: Pick<ProxyParts, 'limits' | 'deadlines'>, onExpired: (phase: Phase) => void) {
    this.#limits = limits
    this.#deadlines = deadlines
    this.#onExpired = onExpired
    this.deadline = this.#phaseBegun + limits.bodyMs
    deadlines.add(this)
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Aborted by {@link abort}. */
  get signal(): AbortSignal {
    this.#gone ??= new AbortController()
    return this.#gone.signal
  }

  enter(phase: Exclude<Phase, 'request'>): void {
    const { filterMs, replyMs, idleMs } = this.#limits
    this.#begin(phase, { verdict: filterMs, head: replyMs, reply: idleMs, drain: DRAIN_MS }[phase])
  }

  /** Extends the phase: bytes have moved. */
  touch(): void {
    const { bodyMs, scannedBodyMs, replyMs, idleMs } = this.#limits
    const now = performance.now()
    if (this.#phase === 'request') this.deadline = Math.min(now + bodyMs, this.#phaseBegun + scannedBodyMs)
    else if (this.#phase === 'head') this.deadline = now + replyMs
    else if (this.#phase === 'reply') this.deadline = now + idleMs
  }

  /** Ends the waits that hold the signal. */
  abort(reason: unknown): void {
    this.#gone?.abort(reason)
  }

  expire(): void {
    this.#onExpired(this.#phase)
    // Should the client not take the refusal, the next expiry ends its connection.
    this.#begin('drain', this.#limits.bodyMs)
    if (!this.#isOver) this.#deadlines.add(this)
  }

  end(): void {
    this.#isOver = true
    this.#deadlines.remove(this)
  }

  #begin(phase: Phase, ms: number): void {
    this.#phase = phase
    this.#phaseBegun = performance.now()
    this.deadline = this.#phaseBegun + ms
  }
}
