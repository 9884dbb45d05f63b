import type { SvcError } from '@svc/errors'
import { toStatus } from './error-map.ts'

/** The way in which the audit log keeps the changes that a route makes. */
export type RouteAudit =
  | {
      /** Area and verb: `user.role`, `model.install`. */
      readonly change: string
      /** The value of the path that names the changed object; handlers can note another name. */
      readonly target?: string | undefined
    }
  | {
      /** Why the log keeps nothing of a route that may look like one that changes something. */
      readonly unrecorded: string
    }

/** Notes of a handler about the change that it makes. They hold no secret and no text of a request. */
export interface ChangeNotes {
  /** The name of this change, where a route makes several. @default that of the route */
  readonly change?: string | undefined
  readonly target?: string | undefined
  readonly name?: string | undefined
  readonly details?: string | undefined
}

/** The outcome of a change: not for refused requests, which have changed nothing. */
export type ChangeOutcome = 'done' | 'failed'

/** A change that a call has made, or may have made before it failed. */
export interface MadeChange extends ChangeNotes {
  readonly change: string
  readonly outcome: ChangeOutcome
  /** The tool that made it for its caller. */
  readonly tool?: string | undefined
}

/** The change of a route; undefined for routes without one. */
export function findChange({
  audit,
}: {
  readonly audit?: RouteAudit | undefined
}): Extract<RouteAudit, { change: string }> | undefined {
  return audit !== undefined && 'change' in audit ? audit : undefined
}

/** The outcome of a reply; undefined for a refusal. */
export function toChangeOutcome(status: number): ChangeOutcome | undefined {
  if (status < 400) return 'done'
  return status < 499 ? undefined : 'failed'
}

/** The outcome of an error; undefined for a refusal. A client that leaves may have seen a part of the change. */
export function toFailedOutcome(error: SvcError): ChangeOutcome | undefined {
  return toChangeOutcome(toStatus(error)) === 'failed' ? 'failed' : undefined
}
