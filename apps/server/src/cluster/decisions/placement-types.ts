import type { Replica, Scheduling } from '../contract/nodes.ts'
import type { ClusterView } from './cluster-view.ts'

/** The figures of a model that its placement depends on. */
export interface ModelNeeds {
  readonly model: string
  /** Bytes of the files to stage; undefined: not known. */
  readonly sizeBytes: number | undefined
  /** Bytes of memory that a replica takes; undefined: not known. */
  readonly memoryBytes: number | undefined
  /** Models that share a group do not run on one node. */
  readonly concurrencyGroups: readonly string[]
}

/** Everything that a placement is decided from. */
export interface PlacementInput {
  readonly needs: ModelNeeds
  readonly view: ClusterView
  /** Rules of the model to place. */
  readonly scheduling: Scheduling
  /** Least number of replicas of another model, which eviction keeps. @default 0 for every model */
  readonly minReplicasOf?: ((model: string) => number) | undefined
  /** Concurrency groups of another model. @default none for every model */
  readonly groupsOf?: ((model: string) => readonly string[]) | undefined
  /** Whether the node has the files already, as with a shared volume. @default those with a replica have them */
  readonly isStagedOn?: ((nodeId: string) => boolean) | undefined
  /** Whether a node with too little free disk is refused; else it only gets a warning. */
  readonly isDiskChecked: boolean
  /** Nodes that must not be chosen, such as those that failed just now. @default none */
  readonly excludedNodes?: ReadonlySet<string> | undefined
}

/** The filters, in the order in which they are applied. */
export type PlacementFilter =
  | 'kind'
  | 'status'
  | 'excluded'
  | 'selector'
  | 'slot'
  | 'spread'
  | 'group'
  | 'disk'
  | 'memory'

/** Why a filter refused a node. Amounts are bytes, or replicas with `slot`. */
export interface Refusal {
  readonly filter: PlacementFilter
  /** English, for people. */
  readonly detail: string
  readonly needed?: number | undefined
  readonly available?: number | undefined
}

/** A node as a placement saw it. */
export interface NodeVerdict {
  readonly nodeId: string
  readonly nodeName: string
  /** Whether a replica can be placed there now, after the evictions. */
  readonly isPossible: boolean
  /** Whether a replica can be placed there after running requests have ended. */
  readonly isBusy: boolean
  /** Every filter that refused the node. */
  readonly refusals: readonly Refusal[]
  readonly warnings: readonly Refusal[]
  /** The first free index of a replica; undefined: there is none. */
  readonly replicaIndex: number | undefined
  /** Replicas that have to go first. */
  readonly evictions: readonly Replica[]
  /** Running requests on the node. */
  readonly inFlight: number
  /** Replicas of all models on the node. */
  readonly replicas: number
  /** Bytes; undefined: not known. */
  readonly freeMemory: number | undefined
}

/** Where to load a replica. */
export type PlacementDecision =
  | {
      readonly kind: 'chosen'
      readonly nodeId: string
      readonly nodeName: string
      readonly replicaIndex: number
      /** Replicas to stop first, in this order. */
      readonly evictions: readonly Replica[]
      readonly warnings: readonly Refusal[]
    }
  /** Decide again after `retryMs`, when requests have ended. */
  | { readonly kind: 'wait'; readonly retryMs: number; readonly nodes: readonly NodeVerdict[] }
  /** No node can hold the model, whatever ends. */
  | {
      readonly kind: 'none'
      readonly reason: 'no_nodes' | 'max_replicas' | 'refused'
      readonly nodes: readonly NodeVerdict[]
    }
