import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import type { Bus } from '../../bus/bus.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { NodeRegistry, ReplicaStore } from '../contract/nodes.ts'
import type { heartbeat } from '../contract/registration.ts'
import { checkLabels, type Labels } from './labels.ts'
import type { NodeRecord } from './node-record.ts'
import type { NodeStore } from './node-store.ts'
import type { CheckedRegistration } from './report.ts'
import { parseVramBudget } from './vram-budget.ts'

/** Age of the copy in memory, milliseconds. */
const COPY_MS = 1000
/** What a node has when neither the worker nor an administrator says more. */
const DEFAULT_REPLICAS = 1
const MAX_REPLICAS = 1000

/** Options of {@link createNodeRegistry}. */
export interface NodeRegistryOptions {
  readonly store: NodeStore
  readonly replicas: ReplicaStore
  readonly bus: Pick<Bus, 'publish' | 'subscribe' | 'refreshWith'>
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
  /** Whether new workers are taken without asking. */
  readonly approvesNew: boolean
  /** Whether a worker answers now. A worker that has just started does not yet. */
  readonly isAnswering: (nodeId: string, signal: AbortSignal) => Promise<boolean>
}

/** The workers of a cluster, and what administrators and workers change. */
export interface NodeDirectory extends NodeRegistry {
  list(): Promise<readonly NodeRecord[]>
  get(id: string): Promise<NodeRecord | undefined>
  /** @throws {SvcError} `not_found`, code `node_not_found` */
  need(id: string): Promise<NodeRecord>
  /** A worker has started, or renews its credentials: a renewal keeps its models and its drain. */
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
  /** Replaces the labels that administrators gave. @throws {SvcError} `not_found`, `invalid_request` */
  setLabels(id: string, labels: Labels): Promise<Labels>
  /** `undefined`: as the worker says when it registers next. @throws {SvcError} `not_found`, `invalid_request` */
  setMaxReplicas(id: string, value: number | undefined): Promise<void>
  /** `undefined`: as the worker says when it registers next; empty: none. @throws {SvcError} as above */
  setVramBudget(id: string, value: string | undefined): Promise<void>
  /** Tells everybody that a node has changed. */
  announce(id: string): void
  close(): void
}

/** Creates the registry of workers. */
export function createNodeRegistry(options: NodeRegistryOptions): NodeDirectory {
  const { store, replicas, bus, clock, logger } = options
  let copy: { readonly nodes: readonly NodeRecord[]; readonly readAt: number } | undefined
  let reading: Promise<readonly NodeRecord[]> | undefined
  let generation = 0

  const forget = (): void => {
    generation += 1
    copy = undefined
    reading = undefined
  }
  const endRefresh = bus.refreshWith('nodes.changed', (message) => {
    forget()
    return message
  })
  const announce = (id: string): void => {
    forget()
    bus.publish('nodes.changed', { id })
  }
  async function read(): Promise<readonly NodeRecord[]> {
    const [readAt, mine] = [clock.monotonic(), generation]
    const nodes = await store.list()
    if (mine === generation) {
      copy = { nodes, readAt }
      reading = undefined
    }
    return nodes
  }
  const list = (): Promise<readonly NodeRecord[]> => {
    if (copy !== undefined && clock.monotonic() - copy.readAt < COPY_MS) return Promise.resolve(copy.nodes)
    if (reading === undefined) {
      const mine = read()
      reading = mine
      mine.catch(() => {
        if (reading === mine) reading = undefined
      })
    }
    return reading
  }
  const need = async (id: string): Promise<NodeRecord> => {
    const found = await store.find(id)
    if (found === undefined) throw nodeNotFound()
    return found
  }
  async function change(id: string, ...rest: Parameters<NodeStore['change']> extends [string, ...infer R] ? R : never) {
    if (!(await store.change(id, ...rest))) {
      const { status } = await need(id)
      throw nodeConflict(`the node is ${status}`)
    }
    announce(id)
  }

  return {
    list,
    need,
    announce,
    get: async (id) => (await list()).find((node) => node.id === id),
    async register(report, signal) {
      const known = await store.findByName(report.name)
      const isRenewal =
        known !== undefined &&
        known.status !== 'offline' &&
        known.address === report.address &&
        (await options.isAnswering(known.id, signal))
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
    async setLabels(id, labels) {
      checkLabels(labels)
      await change(id, { ownLabels: JSON.stringify(labels) })
      return (await need(id)).labels
    },
    async setMaxReplicas(id, value) {
      if (value !== undefined && (!Number.isInteger(value) || value < 1 || value > MAX_REPLICAS)) {
        throw badValue(`value is not a whole number from 1 to ${MAX_REPLICAS}`)
      }
      await change(
        id,
        value === undefined
          ? { isMaxReplicasManual: 0, maxReplicas: DEFAULT_REPLICAS }
          : { isMaxReplicasManual: 1, maxReplicas: value },
      )
    },
    async setVramBudget(id, value) {
      if (value !== undefined && value !== '' && parseVramBudget(value) === undefined) {
        throw badValue('value is not bytes, an amount such as 8GB, or a share such as 80%')
      }
      await change(id, { isVramBudgetManual: value === undefined ? 0 : 1, vramBudget: value ?? '' })
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

function badValue(message: string): SvcError {
  return new SvcError('invalid_request', message, { code: 'bad_value', details: { type: 'node_error' } })
}

function nodeConflict(message: string): SvcError {
  return new SvcError('conflict', message, { code: 'node_state', details: { type: 'node_error' } })
}

/** There is no such worker. */
export function nodeNotFound(): SvcError {
  return new SvcError('not_found', 'node not found', { code: 'node_not_found', details: { type: 'node_error' } })
}
