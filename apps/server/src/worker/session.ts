import type { Messenger, Unsubscribe } from '../cluster/contract/messenger.ts'
import type { NatsMessenger } from '../cluster/nats/create-nats-messenger.ts'
import { nodeInbox } from '../cluster/nats/node-credentials.ts'
import type { NatsCredentials } from '../cluster/nats/open-connection.ts'
import { createSeldomLog } from '../cluster/nats/seldom-log.ts'
import { repeat } from '../concurrency/repeat.ts'
import { createSerialQueue } from '../concurrency/serial-queue.ts'
import { untilAborted } from '../concurrency/until-aborted.ts'
import type { Clock, Logger } from '../ports.ts'
import { type EnrolParts, enrol } from './enrol.ts'
import type { FrontEnd, Registered } from './front-end.ts'
import { toRenewalMs } from './jwt-life.ts'

/** Pause between two looks at the age of the credentials, milliseconds. */
const LOOK_MS = 250
/** Pause after a renewal that failed, milliseconds. */
const RETRY_MS = 5000
/** Longest change of the connection, milliseconds. */
const RENEWAL_MS = 30_000

/** What a worker is to the front ends. */
export interface WorkerSession {
  readonly nodeId: string
  /** Whether the worker is registered and the bus is connected. */
  isReady(): boolean
  /** Ends the signs of life. Resolves when the bus is closed. */
  close(): Promise<void>
}

/** Parts of {@link openSession}. */
export interface SessionParts extends Omit<EnrolParts, 'signal' | 'clock' | 'logger' | 'frontEnd'> {
  readonly frontEnd: Pick<FrontEnd, 'register' | 'heartbeat'>
  /** Makes the body of a heartbeat. */
  readonly toHeartbeat: () => Promise<unknown>
  readonly heartbeatMs: number
  /** Connects to the bus. @param credentials those of the registration; undefined where it gave none */
  readonly connect: (options: {
    readonly credentials: NatsCredentials | undefined
    readonly inboxPrefix: string
  }) => Promise<NatsMessenger>
  /** Answers requests. @returns ends this */
  readonly serve: (messenger: Messenger, nodeId: string) => Unsubscribe
  readonly clock: Clock
  readonly logger: Logger
  /** Ends the wait for the registration. */
  readonly signal: AbortSignal
}

interface Joined {
  readonly nodeId: string
  readonly messenger: NatsMessenger
  readonly credentials: NatsCredentials | undefined
  readonly end: Unsubscribe
}

/**
 * Registers the worker, joins the bus and stays there: sends heartbeats, registers again when the front end does not know
 * it any more, and renews its credentials before they end.
 *
 * @throws {StartRefused} as {@link enrol}
 */
export async function openSession(parts: SessionParts): Promise<WorkerSession> {
  const { frontEnd, clock, logger } = parts
  const stopping = new AbortController()
  const signal = AbortSignal.any([parts.signal, stopping.signal])
  const runInTurn = createSerialQueue()
  const join = async (reply: Registered): Promise<Joined> => {
    const credentials = toCredentials(reply)
    const messenger = await parts.connect({ credentials, inboxPrefix: nodeInbox(reply.id) })
    return { nodeId: reply.id, messenger, credentials, end: parts.serve(messenger, reply.id) }
  }
  let current = await join(await enrol({ ...parts, signal }))
  logger.info({ node: current.nodeId }, 'the worker has joined')

  /** Goes on as what the front end says, without a gap where it is the same node. */
  const adopt = async (reply: Registered): Promise<void> => {
    const credentials = toCredentials(reply)
    if (reply.id === current.nodeId) {
      if (credentials !== undefined) {
        const limit = AbortSignal.any([signal, AbortSignal.timeout(RENEWAL_MS)])
        await untilAborted(current.messenger.renew(credentials), limit)
      }
      current = { ...current, credentials }
      return
    }
    const old = current
    current = await join(reply)
    logger.warn({ node: reply.id }, 'the worker has joined as another node')
    await leave(old)
  }
  const registerAgain = (): Promise<void> =>
    runInTurn(async () => {
      await adopt(await enrol({ ...parts, signal }))
      dueAt = toDue()
    })
  const beat = async (): Promise<void> => {
    const isKnown = await frontEnd.heartbeat(current.nodeId, await parts.toHeartbeat(), { signal })
    if (isKnown) return
    logger.warn({ node: current.nodeId }, 'the front end does not know the worker any more')
    await registerAgain()
  }
  const log = createSeldomLog(logger, clock)
  const attempt = async (work: () => Promise<void>, failure: string): Promise<void> => {
    try {
      await work()
    } catch (err) {
      if (!signal.aborted) log.warn(failure, { err }, failure)
    }
  }
  const toDue = (): number => {
    const lifeMs = current.credentials && toRenewalMs(current.credentials.jwt)
    return lifeMs === undefined ? Number.POSITIVE_INFINITY : clock.monotonic() + lifeMs
  }
  let dueAt = toDue()
  const renewWhenDue = async (): Promise<void> => {
    if (clock.monotonic() < dueAt) return
    dueAt = clock.monotonic() + RETRY_MS
    await registerAgain()
  }
  const loops = [
    repeat(parts.heartbeatMs, () => attempt(beat, 'a sign of life did not reach the front end'), { clock, signal }),
    repeat(LOOK_MS, () => attempt(renewWhenDue, 'the credentials of the bus could not be renewed'), { clock, signal }),
  ]
  return {
    get nodeId() {
      return current.nodeId
    },
    isReady: () => current.messenger.isConnected,
    async close() {
      stopping.abort()
      await Promise.all(loops)
      await runInTurn(() => leave(current))
    },
  }
}

async function leave({ end, messenger }: Joined): Promise<void> {
  end()
  await messenger.close()
}

function toCredentials({ nats_jwt: jwt, nats_user_seed: seed }: Registered): NatsCredentials | undefined {
  return jwt && seed ? { jwt, seed } : undefined
}
