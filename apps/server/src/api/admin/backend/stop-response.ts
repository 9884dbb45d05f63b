import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import type { StopReport } from '../../../residency/stop-with-parts.ts'
import type { shutdownReply } from './bodies.ts'
import { notLoaded } from './named-model.ts'

/**
 * Converts the report of a stop to a reply that says how the models were stopped.
 *
 * @throws {SvcError} `internal`: nothing was loaded, or a model stayed, with the way to stop it
 */
export function toStopResponse(name: string, { outcomes, failures }: StopReport): HttpReply {
  const [first] = failures
  if (first !== undefined) throw toError(first.error, failures)
  if (outcomes.length === 0) throw notLoaded(name)
  const endedCalls = outcomes.reduce((sum, outcome) => sum + outcome.endedCalls, 0)
  const wasKilled = outcomes.some(({ how }) => how === 'killed')
  const notes = [
    ...(endedCalls === 0 ? [] : [`${endedCalls} running ${endedCalls === 1 ? 'call was' : 'calls were'} ended`]),
    ...(wasKilled ? ['its backend did not end when it was asked to, and was killed'] : []),
  ]
  const message = notes.length === 0 ? 'model stopped' : `model stopped: ${notes.join('; ')}`
  return json({ message } satisfies z.output<typeof shutdownReply>)
}

function toError(cause: SvcError, failures: StopReport['failures']): SvcError {
  const reasons = failures.map(({ error }) => error.message).join('; ')
  const isBusy = failures.some(({ error }) => error.code === 'model_busy')
  const advice = isBusy ? '; send "force": true to stop it and end its calls' : ''
  return new SvcError('internal', `${reasons}${advice}`, { code: cause.code, cause })
}
