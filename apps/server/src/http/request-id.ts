import { randomUUID } from 'node:crypto'
import type { ServerRequest } from './messages.ts'

const WELL_FORMED = /^[A-Za-z0-9._-]{1,128}$/

/** The client's correlation id when it is well formed (threats LOG-1), else a new UUID. */
export function chooseRequestId(incoming: ServerRequest): string {
  const given = incoming.headers['x-correlation-id'] ?? incoming.headers['x-request-id']
  return typeof given === 'string' && WELL_FORMED.test(given) ? given : randomUUID()
}
