import type { InnerCaller } from '../../inference/core/inner-context.ts'

/** A stretch of work in the name of the caller, with the rights of the moment when it began. */
export interface BegunTurn {
  readonly caller: InnerCaller
  /** Aborts when the caller loses the right to it, and with the signal that it began with. */
  readonly signal: AbortSignal
  close(): void
}

/**
 * Begins work in the name of the caller of a session.
 *
 * @param turn number of the work in its session, from 1
 * @throws {SvcError} `unauthenticated` or `forbidden` where the rights have gone
 */
export type BeginTurn = (turn: number, options: { readonly signal: AbortSignal }) => Promise<BegunTurn>
