import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import type { ReplicaStore } from '../contract/nodes.ts'
import { nodeSubject } from '../contract/subjects.ts'
import type { NodeRecord } from './node-record.ts'
import type { NodeDirectory } from './node-registry.ts'
import type { NodeStore } from './node-store.ts'

/** Age of a heartbeat after which a worker is asked, and taken offline if it does not answer. */
const OFFLINE_MS = 60_000
/** Time between two looks. */
const LOOK_MS = 15_000
/** Age of a heartbeat after which a worker that waits for approval is forgotten. */
const FORGET_MS = 3_600_000
/** A look that comes this late shows that the process was held up, so heartbeats may have been missed. */
const LATE_MS = 2 * LOOK_MS
const ASK_MS = 2000
/** Workers that are asked at the same time. */
const ASKED = 64

/** Asks a worker over the bus whether it is there. A lost bus says nothing about it: undefined. */
export async function askWorker(
  messenger: Pick<Messenger, 'request' | 'isConnected'>,
  nodeId: string,
  signal: AbortSignal,
): Promise<boolean | undefined> {
  if (!messenger.isConnected) return undefined
  try {
    await messenger.request(nodeSubject(nodeId, 'models.running'), {}, { signal, timeoutMs: ASK_MS })
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (SvcError.is(error) && error.code === 'bus_disconnected') return undefined
    return messenger.isConnected ? false : undefined
  }
}

/** Parts of {@link createHealthMonitor}. */
export interface HealthMonitorParts {
  readonly store: NodeStore
  readonly nodes: Pick<NodeDirectory, 'announce'>
  readonly replicas: ReplicaStore
  readonly messenger: Pick<Messenger, 'request' | 'isConnected' | 'onConnection'>
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
}

/** Watches heartbeats. */
export interface HealthMonitor {
  /** One look. */
  look(signal: AbortSignal): Promise<void>
  /** Looks every 15 seconds. Resolves at the end of the signal. */
  run(signal: AbortSignal): Promise<void>
}

/**
 * Takes workers offline whose heartbeats have stopped, removes their replicas, and makes workers healthy whose heartbeats
 * are back. Every server may do it at the same time: each change is one statement that compares what was read.
 *
 * Missing heartbeats alone are no proof, because they also stop while the servers or the bus are away. A verdict needs
 * all of these: this server has watched for 60 seconds without a pause, with the bus connected; the worker does not
 * answer over the bus either; no heartbeat has come meanwhile.
 */
export function createHealthMonitor(parts: HealthMonitorParts): HealthMonitor {
  const { store, nodes, replicas, messenger, clock, logger } = parts
  let watchedSince = clock.monotonic()
  let lookedAt = watchedSince

  const startAnew = (): void => {
    watchedSince = clock.monotonic()
  }
  async function judge(node: NodeRecord, signal: AbortSignal): Promise<void> {
    const answer = node.kind === 'agent' ? false : await askWorker(messenger, node.id, signal)
    if (answer === undefined) return
    if (answer) return store.touch(node.id)
    if (!(await store.takeOffline(node))) return
    logger.warn({ node: node.name }, 'a worker sends no heartbeats and does not answer: it is offline')
    await replicas.removeOfNode(node.id)
    nodes.announce(node.id)
  }
  async function look(signal: AbortSignal): Promise<void> {
    const now = clock.monotonic()
    if (now - lookedAt > LATE_MS || !messenger.isConnected) startAnew()
    lookedAt = now
    for (const id of await store.lift(OFFLINE_MS)) nodes.announce(id)
    if (now - watchedSince < OFFLINE_MS) return
    const stale = await store.stale(OFFLINE_MS)
    for (let at = 0; at < stale.length; at += ASKED) {
      await Promise.all(stale.slice(at, at + ASKED).map((node) => judge(node, signal)))
    }
    for (const id of await store.removeForgotten(FORGET_MS)) {
      logger.info({ node: id }, 'a worker that waited for approval is gone and is forgotten')
      nodes.announce(id)
    }
    await sweep()
    lookedAt = clock.monotonic()
  }
  /** Removes replicas of workers that are offline: a server may have died between both changes. */
  async function sweep(): Promise<void> {
    const offline = new Set((await store.list()).filter(({ status }) => status === 'offline').map(({ id }) => id))
    if (offline.size === 0) return
    const left = new Set((await replicas.list()).map(({ nodeId }) => nodeId).filter((id) => offline.has(id)))
    for (const id of left) await replicas.removeOfNode(id)
  }
  return {
    look,
    async run(signal) {
      const end = messenger.onConnection(startAnew)
      try {
        while (!signal.aborted) {
          try {
            await look(signal)
          } catch (error) {
            if (signal.aborted) return
            startAnew()
            logger.warn({ err: error }, 'the state of the workers could not be read')
          }
          await clock.sleep(LOOK_MS, { signal }).catch(() => undefined)
        }
      } finally {
        end()
      }
    },
  }
}
