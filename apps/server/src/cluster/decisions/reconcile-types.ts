import type { Replica, Scheduling } from '../contract/nodes.ts'
import type { ClusterView } from './cluster-view.ts'
import type { ModelNeeds, PlacementDecision } from './placement-types.ts'

/** A process that a worker says it runs. */
export interface RunningProcess {
  readonly model: string
  readonly replicaIndex: number
  readonly address: string
}

/** The state that the reconciler starts from. Times are milliseconds since the epoch. */
export interface ReconcileInput {
  readonly now: number
  readonly view: ClusterView
  readonly replicas: Iterable<Replica>
  /** Rules that somebody made. A model without rules is left to requests and eviction. */
  readonly schedules: readonly Scheduling[]
  /** The needs of a model; undefined: there is no such model, or it cannot be loaded. */
  readonly needsOf: (model: string) => ModelNeeds | undefined
  /** The current revision; undefined: the model is gone. */
  readonly revisionOf: (model: string) => string | undefined
  readonly groupsOf: (model: string) => readonly string[]
  readonly isDiskChecked: boolean
  readonly isStagedOn?: ((model: string, nodeId: string) => boolean) | undefined
  /** What each worker says it runs; a worker that did not answer is absent. */
  readonly running: ReadonlyMap<string, readonly RunningProcess[]>
  /** When the workers were asked: younger replicas are not compared. */
  readonly runningAt: number
}

export type RemoveReason =
  /** The node is not known, or offline: there is nobody to stop it. */
  | 'node_gone'
  /** The worker does not run it. */
  | 'not_running'
  /** The configuration has changed, or the model is gone. */
  | 'stale_revision'
  /** The node has lost a label that the rules ask for. */
  | 'not_selected'
  /** More than the greatest number, or more than one on a node with `spread_all`. */
  | 'surplus'
  /** No request for a while, and more than the least number. */
  | 'idle'

export type AddReason = 'below_min' | 'all_busy' | 'spread_all'

/** A step towards the wanted state. */
export type ReconcileAction =
  | {
      readonly kind: 'add'
      readonly model: string
      readonly reason: AddReason
      readonly placement: Extract<PlacementDecision, { kind: 'chosen' }>
    }
  /** Stop the process and remove the row. With `node_gone` and `not_running` only the row. */
  | { readonly kind: 'remove'; readonly replica: Replica; readonly reason: RemoveReason }
  /** Stop a process that no row knows. */
  | { readonly kind: 'stop'; readonly nodeId: string; readonly process: RunningProcess }
  /** Note how often the least number could not be had. */
  | {
      readonly kind: 'note'
      readonly model: string
      readonly ticks: number
      readonly restUntil: number | undefined
    }
