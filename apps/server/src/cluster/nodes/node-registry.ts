import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { Bus } from '../../bus/bus.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { NodeRegistry, ReplicaStore } from '../contract/nodes.ts'
import type { heartbeat } from '../contract/registration.ts'
import { createNodeCopy } from './node-copy.ts'
import { type ChangeNode, createNodeLimits, type NodeLimits } from './node-limits.ts'
import type { NodeRecord } from './node-record.ts'
import type { NodeStore } from './node-store.ts'
import type { CheckedRegistration } from './report.ts'
import { checkTakeover } from './takeover.ts'

/** Options of {@link createNodeRegistry}. */
export interface NodeRegistryOptions {
  readonly store: NodeStore
  readonly replicas: ReplicaStore
  readonly bus: Pick<Bus, 'publish' | 'subscribe' | 'refreshWith'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
  /** Whether new workers are taken without asking. */
  readonly approvesNew: boolean
  /** Whether a worker answers now; undefined: it cannot be asked. A worker that has just started does not answer yet. */
  readonly ask: (nodeId: string, signal: AbortSignal) => Promise<boolean | undefined>
}

/** The workers of a cluster, and what administrators and workers change. */
export interface NodeDirectory extends NodeRegistry, NodeLimits {
  list(): Promise<readonly NodeRecord[]>
  get(id: string): Promise<NodeRecord | undefined>
  /** @throws {SvcError} `not_found`, code `node_not_found` */
  need(id: string): Promise<NodeRecord>
  /**
   * A worker has started, or renews its credentials: a renewal keeps its models and its drain.
   *
   * @throws {SvcError} as {@link checkTakeover} and {@link NodeStore.register}
   */
  register(report: CheckedRegistration, signal: AbortSignal): Promise<NodeRecord>
  /** @throws {SvcError} as {@link NodeDirectory.need} */
  heartbeat(id: string, body: z.output<typeof heartbeat>): Promise<void>
  /** A node that was approved before stays as it is. @throws {SvcError} as {@link NodeDirectory.need} */
  approve(id: string): Promise<void>
  /** No new requests; running ones end. @throws {SvcError} `not_found`; `conflict` for a node that serves nothing */
  drain(id: string): Promise<void>
  /** @throws {SvcError} `not_found`; `conflict` for a node that does not drain */
  resume(id: string): Promise<void>
  /** The worker goes away; its row and its approval stay. @throws {SvcError} as {@link NodeDirectory.need} */
  deregister(id: string): Promise<void>
  /** Forgets a worker. @throws {SvcError} as {@link NodeDirectory.need} */
  remove(id: string): Promise<void>
  /** Tells everybody that a node has changed. */
  announce(id: string): void
  close(): void
}

/** Creates the registry of workers. */
export function createNodeRegistry(options: NodeRegistryOptions): NodeDirectory {
  const { store, replicas, bus, clock, logger } = options
  const copy = createNodeCopy({ read: () => store.list(), clock })
  const endRefresh = bus.refreshWith('nodes.changed', (message) => {
    copy.forget()
    return message
  })
  const announce = (id: string): void => {
    copy.forget()
    bus.publish('nodes.changed', { id })
  }
  const need = async (id: string): Promise<NodeRecord> => {
    const found = await store.find(id)
    if (found === undefined) throw nodeNotFound()
    return found
  }
  const change: ChangeNode = async (id, values, options) => {
    if (!(await store.change(id, values, options))) {
      const { status } = await need(id)
      throw nodeConflict(`the node is ${status}`)
    }
    announce(id)
  }

  return {
    list: copy.list,
    need,
    announce,
    ...createNodeLimits({ change, need }),
    get: async (id) => (await copy.list()).find((node) => node.id === id),
    async register(report, signal) {
      const known = await store.findByName(report.name)
      const answers = known && (await options.ask(known.id, signal))
      if (known !== undefined) await checkTakeover(known, report, { answers, isFresh: store.isFresh })
      const isRenewal =
        known !== undefined && known.status !== 'offline' && known.address === report.address && answers === true
      const node = await store.register(report, { isApproved: options.approvesNew, keepsState: isRenewal })
      if (!isRenewal) await replicas.removeOfNode(node.id)
      if (known === undefined) logger.info({ node: node.name, status: node.status }, 'a new worker has registered')
      announce(node.id)
      return node
    },
    async heartbeat(id, body) {
      const { isKnown, hasChanged } = await store.heartbeat(id, body)
      if (!isKnown) throw nodeNotFound()
      if (hasChanged) announce(id)
    },
    async approve(id) {
      const node = await need(id)
      if (node.isApproved) return
      await change(id, { isApproved: 1, status: 'healthy' })
      logger.info({ node: node.name }, 'a worker was approved')
    },
    drain: (id) => change(id, { status: 'draining' }, { from: ['healthy', 'unhealthy', 'draining'] }),
    resume: (id) => change(id, { status: 'healthy' }, { from: ['draining', 'healthy'] }),
    async deregister(id) {
      const { isApproved } = await need(id)
      // Without a heartbeat the monitor does not lift the state. A node that waits for approval goes on to wait.
      await store.change(id, { status: isApproved ? 'offline' : 'pending', heartbeatAt: 0 })
      await replicas.removeOfNode(id)
      announce(id)
    },
    async remove(id) {
      if (!(await store.remove(id))) throw nodeNotFound()
      await replicas.removeOfNode(id)
      announce(id)
    },
    async reserveVram(id, bytes) {
      await store.reserve(id, Math.trunc(bytes))
      announce(id)
    },
    async reportUnreachable(id) {
      if (await store.change(id, { status: 'unhealthy' }, { from: ['healthy'] })) announce(id)
    },
    onChange: (listener) => bus.subscribe('nodes.changed', () => listener()),
    close: endRefresh,
  }
}

function nodeConflict(message: string): SvcError {
  return new SvcError('conflict', message, { code: 'node_state', details: { type: 'node_error' } })
}

/** There is no such worker. */
function nodeNotFound(): SvcError {
  return new SvcError('not_found', 'node not found', { code: 'node_not_found', details: { type: 'node_error' } })
}
