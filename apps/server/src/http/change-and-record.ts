import { toPublicError } from '../public-error.ts'
import type { CallState } from './call.ts'
import { ALREADY_SENT, type HttpReply } from './http-reply.ts'
import type { Route } from './route.ts'
import { toChangeOutcome, toFailedOutcome } from './route-audit.ts'

/** Has a route answer a call that changes something. The audit log has the change before the client has the reply. */
export async function changeAndRecord(route: Route, call: CallState): Promise<HttpReply> {
  try {
    const reply = await route.handler(call)
    const outcome = toChangeOutcome(reply === ALREADY_SENT ? call.outgoing.statusCode : reply.status)
    if (outcome !== undefined) await call.recordChange(outcome)
    return reply
  } catch (error) {
    const outcome = toFailedOutcome(toPublicError(error))
    if (outcome !== undefined) await call.recordChange(outcome)
    throw error
  }
}
