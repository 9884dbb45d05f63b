import { SvcError } from '@svc/errors'
import { toPublicError } from '../../public-error.ts'
import type { FinishedTurn, TurnTimes } from '../ports.ts'
import type { ResponseEnd } from './response.ts'

/** Measures a turn from the end of speech. Each moment counts once, when it comes first. */
export interface TurnClock {
  note(moment: keyof TurnTimes): void
  finish(end: ResponseEnd): FinishedTurn
}

/** Starts the measure of a turn. @param startedAt the end of speech, monotonic milliseconds */
export function createTurnClock(startedAt: number, monotonic: () => number): TurnClock {
  const times: Partial<Record<keyof TurnTimes, number>> = {}
  const note = (moment: keyof TurnTimes): void => {
    times[moment] ??= monotonic() - startedAt
  }
  return {
    note,
    finish(end) {
      note('doneMs')
      return { times, startedAt, failure: findFailure(end) }
    },
  }
}

function findFailure(end: ResponseEnd): SvcError | undefined {
  if (end.status === 'failed') return toPublicError(end.error)
  return end.status === 'cancelled'
    ? new SvcError('cancelled', 'the answer was cancelled', { code: end.reason })
    : undefined
}
