import type { Database } from '../../db/database.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Messenger } from '../contract/messenger.ts'
import type { NodeRegistry, SchedulingRules } from '../contract/nodes.ts'
import type { ReconcileInput } from '../decisions/reconcile-types.ts'
import type { LoadJobs } from '../loads/load-jobs.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'

/** Begins the load of a replica. @returns false when another server runs it, or its failure is told at the moment */
export type StartLoad = (
  model: string,
  options: {
    readonly replicaIndex: number
    /** The worker to load it on. @default the one that the placement chooses */
    readonly nodeId?: string | undefined
    /** The load that is taken over, which may go to another worker. @default one of its own */
    readonly key?: string | undefined
  },
) => Promise<boolean>

/** What the reconciler looks at, and what it acts with. */
export interface ReconcilerParts extends Pick<ReconcileInput, 'needsOf' | 'revisionOf' | 'groupsOf'> {
  readonly nodes: Pick<NodeRegistry, 'list'>
  readonly scheduling: Pick<SchedulingRules, 'list' | 'noteOutcome'>
  readonly replicas: ReplicaRows
  readonly jobs: LoadJobs
  readonly messenger: Pick<Messenger, 'request' | 'isConnected'>
  readonly database: Pick<Database, 'queries' | 'dialect'>
  readonly startLoad: StartLoad
  /** Whether this server has the weights of a model, on which its revision depends. @default it has those of all */
  readonly hasWeights?: ((model: string) => boolean) | undefined
  /** Whether a node with too little free disk is refused. */
  readonly isDiskChecked: () => boolean
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
}
