import type { ChangeLog } from '../../../audit/changes.ts'
import type { Clock, Logger } from '../../../ports.ts'

/** Time in which one attempt of a name is noted, milliseconds. */
const PAUSE_MS = 60_000
/** Names that are remembered for this. */
const MAX_NAMES = 1000

/** An attempt of a machine to register under the name of another. */
export interface Takeover {
  readonly name: string
  /** `host:port` that it gave for its backends. */
  readonly address: string
  /** The address that it came from. */
  readonly clientAddress: string
  readonly requestId: string
}

/** Notes refused attempts in the log and among the changes of administration: once a minute for each name. */
export function createTakeoverNotes({
  changes,
  clock,
  logger,
}: {
  readonly changes: ChangeLog
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
}): (attempt: Takeover) => Promise<void> {
  const notedAt = new Map<string, number>()
  return async ({ name, address, clientAddress, requestId }) => {
    const now = clock.monotonic()
    if (now - (notedAt.get(name) ?? Number.NEGATIVE_INFINITY) < PAUSE_MS) return
    if (notedAt.size >= MAX_NAMES) notedAt.clear()
    notedAt.set(name, now)
    logger.warn({ node: name, address, client: clientAddress }, 'another machine was refused the name of a worker')
    await changes.record({
      kind: 'administration',
      origin: 'api',
      change: 'node.register',
      correlationId: requestId,
      actor: name,
      via: 'none',
      address: clientAddress,
      target: name,
      details: `refused: another machine, ${address}, asked for the name`,
      failed: true,
    })
  }
}
