import type { Clock, Logger } from '../ports.ts'
import type { FrontEnd } from './front-end.ts'

/** How long running requests may go on, milliseconds. */
const DRAIN_MS = 20_000
const LOOK_MS = 250
/** Longest call to the front end, milliseconds. */
const CALL_MS = 5000

/** Parts of {@link leaveCluster}. */
export interface LeaveParts {
  readonly nodeId: string
  readonly frontEnd: Pick<FrontEnd, 'change' | 'countRunning'>
  /** Ends all processes. */
  readonly stopProcesses: () => Promise<void>
  /** Ends the signs of life and the connection to the bus. */
  readonly endSession: () => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

/**
 * Takes a worker out of its cluster: no new requests, then the running ones have 20 s, then its processes end, then it
 * says that it is gone. A front end that does not answer holds nothing up.
 */
export async function leaveCluster(parts: LeaveParts): Promise<void> {
  const { nodeId, frontEnd, logger } = parts
  const ask = (verb: 'drain' | 'deregister'): Promise<boolean> =>
    frontEnd.change(nodeId, verb, { signal: AbortSignal.timeout(CALL_MS) }).then(
      () => true,
      (err: unknown) => {
        logger.warn({ err, verb }, 'the front end was not told that the worker leaves')
        return false
      },
    )
  if (await ask('drain')) await waitForRequests(parts)
  await parts.stopProcesses()
  // A sign of life would bring the worker back.
  await parts.endSession()
  if (await ask('deregister')) logger.info({ node: nodeId }, 'the worker has left')
}

async function waitForRequests({ nodeId, frontEnd, clock, logger }: LeaveParts): Promise<void> {
  const until = clock.monotonic() + DRAIN_MS
  const signal = AbortSignal.timeout(DRAIN_MS + CALL_MS)
  try {
    while ((await frontEnd.countRunning(nodeId, { signal })) > 0) {
      if (clock.monotonic() >= until) {
        logger.warn({}, 'requests still run and are ended')
        return
      }
      await clock.sleep(LOOK_MS, { signal })
    }
  } catch (err) {
    logger.warn({ err }, 'the requests that still run are not known')
  }
}
