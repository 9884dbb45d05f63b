/** States of a worker. */
export type NodeStatus = 'pending' | 'healthy' | 'unhealthy' | 'offline' | 'draining'

/** Resources of a worker, bytes. A total of 0 is not known. */
export interface NodeResources {
  readonly totalVram: number
  readonly availableVram: number
  readonly totalRam: number
  readonly availableRam: number
  /** Of the file system of the models. */
  readonly totalDisk: number
  readonly availableDisk: number
  readonly gpuVendor: string
  readonly gpuComputeCapability: string
  /** The kind of backend builds that run there, such as `default` or `nvidia-cuda-12`. */
  readonly capability: string
}

/** A worker. */
export interface ClusterNode extends NodeResources {
  readonly id: string
  readonly name: string
  readonly kind: 'backend' | 'agent'
  readonly status: NodeStatus
  /** `host:port` of its first backend. */
  readonly address: string
  /** `host:port` of its file server. */
  readonly httpAddress: string
  /** Bytes that running loads will take. */
  readonly reservedVram: number
  /** Cap of the memory that models may take, bytes; undefined: all of it. */
  readonly vramBudget: number | undefined
  /** Labels of the worker, of the server and of administrators; the last win. */
  readonly labels: Readonly<Record<string, string>>
  /** Replicas of one model, at least 1. */
  readonly maxReplicas: number
  /** Milliseconds since the epoch. */
  readonly heartbeatAt: number
}

/** States of a replica. Only `loaded` with the current revision gets requests. */
export type ReplicaState = 'staging' | 'loading' | 'loaded' | 'unloading' | 'idle'

/** A model on a worker. */
export interface Replica {
  readonly id: string
  readonly nodeId: string
  readonly model: string
  readonly replicaIndex: number
  /** `<model>#<index>` at the worker. */
  readonly processKey: string
  /** `host:port` of its process; empty while it is not known. */
  readonly address: string
  readonly state: ReplicaState
  readonly backend: string
  readonly configRevision: string
  /** Bytes of device memory; undefined: not known. */
  readonly sizeVram: number | undefined
  /** Running requests of all front ends. */
  readonly inFlight: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  readonly usedAt: number
  readonly cleanupError: string | undefined
  /** Stops that failed. @default 0 */
  readonly cleanupAttempts?: number | undefined
}

/** Rules for where a model runs. */
export interface Scheduling {
  readonly model: string
  /** Labels that a node must have. */
  readonly nodeSelector: Readonly<Record<string, string>>
  readonly minReplicas: number
  /** 0: no limit. */
  readonly maxReplicas: number
  /** One replica on each matching node. */
  readonly spreadAll: boolean
  readonly routePolicy: '' | 'least_loaded' | 'round_robin' | 'prefix_cache'
  readonly balanceAbsThreshold: number
  readonly balanceRelThreshold: number
  /** Share of a prompt, 0 to 1. */
  readonly minPrefixMatch: number
  /** Milliseconds since the epoch. */
  readonly unsatisfiableUntil: number | undefined
  readonly unsatisfiableTicks: number
}

/** The workers, from the database; a copy in memory that is at most a second old. */
export interface NodeRegistry {
  /** All workers, in the order of their names. */
  list(): Promise<readonly ClusterNode[]>
  get(id: string): Promise<ClusterNode | undefined>
  /** Adds to the reserved memory of a node until its next heartbeat. Negative bytes take back. */
  reserveVram(id: string, bytes: number): Promise<void>
  /** Marks a node that does not answer as unhealthy; its heartbeat heals it. */
  reportUnreachable(id: string): Promise<void>
  /** Calls the listener after the nodes have changed. @returns ends this */
  onChange(listener: () => void): () => void
}

/** Scheduling of models, from the database. */
export interface SchedulingRules {
  list(): Promise<readonly Scheduling[]>
  /** The rules of a model; those of no limit when it has none. */
  get(model: string): Promise<Scheduling>
  /** Notes whether the least number of replicas could be had, for the reconciler. */
  noteOutcome(model: string, outcome: { readonly ticks: number; readonly restUntil: number | undefined }): Promise<void>
}

/** Models on workers, from the database. */
export interface ReplicaStore {
  list(filter?: {
    readonly nodeId?: string | undefined
    readonly model?: string | undefined
  }): Promise<readonly Replica[]>
  /** Removes all replicas of a node that went away. */
  removeOfNode(nodeId: string): Promise<void>
  /** Removes replicas whose processes a worker has stopped, by their keys. */
  removeByKeys(nodeId: string, processKeys: readonly string[]): Promise<void>
}

/** Progress of a load on a worker, as `GET /api/models/:id/load-status` and 503 replies show it. */
export interface LoadProgress {
  readonly model: string
  readonly state: 'pending' | 'installing' | 'staging' | 'loading' | 'failed'
  readonly nodeId: string | undefined
  readonly nodeName: string | undefined
  /** 0 to 1. */
  readonly progress: number
  readonly bytesSent: number
  readonly totalBytes: number
  readonly fileIndex: number
  readonly totalFiles: number
  readonly etaSeconds: number | undefined
  readonly error: string | undefined
}
