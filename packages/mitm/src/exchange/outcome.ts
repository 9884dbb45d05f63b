import type { TrafficEvent } from '../events.ts'
import type { ScannedFormat } from '../filter/scanned-paths.ts'

type Result = TrafficEvent['outcome']

/** The fields of a traffic event that are known at the end only. */
export type OutcomeFields = Pick<
  TrafficEvent,
  'scanned' | 'rewritten' | 'upgraded' | 'outcome' | 'status' | 'code' | 'bytesSent' | 'bytesReceived' | 'durationMs'
>

/** Records the course of one request for its event. */
export class Outcome {
  /** The format in which the body is scanned. */
  scanned: ScannedFormat | undefined
  isRewritten = false
  isUpgraded = false
  /** The status of the reply to the client. */
  status: number | undefined
  bytesSent = 0
  bytesReceived = 0
  readonly #begun = performance.now()
  #result: Result = 'relayed'
  #code: string | undefined

  /** Records a failure. The first one counts: later ones follow from it. */
  fail(result: Result, code: string): void {
    if (this.#code !== undefined) return
    this.#result = result
    this.#code = code
  }

  toFields(): OutcomeFields {
    return {
      scanned: this.scanned,
      rewritten: this.isRewritten,
      upgraded: this.isUpgraded,
      outcome: this.#result,
      status: this.status,
      code: this.#code,
      bytesSent: this.bytesSent,
      bytesReceived: this.bytesReceived,
      durationMs: performance.now() - this.#begun,
    }
  }
}
