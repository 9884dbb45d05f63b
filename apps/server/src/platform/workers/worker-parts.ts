import type { BackendCatalog } from '../../backends/catalog.ts'
import type { Bus } from '../../bus/bus.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { ServerConfig } from '../../config/schema.ts'
import type { Database } from '../../db/database.ts'
import type { Operations } from '../../operations/operations.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Residency } from '../../residency/residency.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Cluster } from '../open-data.ts'
import type { OpenUpstreams } from '../open-upstreams.ts'

/** What the models on workers need of the server. */
export interface WorkerPlacementParts extends Pick<OpenUpstreams, 'upstream'> {
  readonly config: ServerConfig
  readonly settings: Pick<Settings, 'get'>
  readonly cluster: Cluster
  readonly database: Database
  readonly bus: Bus
  readonly catalog: BackendCatalog
  /** Serves what does not run in a process of its own, and what has an address. */
  readonly residency: Residency
  readonly findModel: (name: string) => ModelConfig | undefined
  /** @throws {SvcError} for a model with a file of the server among its files */
  readonly checkFiles: (model: ModelConfig) => Promise<void>
  /** Gives changed model files to the other front ends, and takes theirs. Never rejects. */
  readonly shareModels: () => Promise<void>
  /** Id of this server among the leases of front ends. */
  readonly frontEndId: string
  /** Lists the loads on workers. */
  readonly operations: Pick<Operations, 'addStaging'>
  readonly clock: Clock
  readonly logger: Logger
}
