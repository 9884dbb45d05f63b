import type { ObjectStorage } from '../../cluster/object-storage/object-storage.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { WorkerFolders } from './file-keys.ts'
import type { WorkerLogs } from './worker-logs.ts'

/** Options of the HTTP server of a worker. */
export interface FileServerOptions {
  readonly host: string
  /** 0: any free port. */
  readonly port: number
  /** Bearer token; empty: none is asked for. */
  readonly token: string
  readonly folders: WorkerFolders
  /** Whether the models folder is that of the front ends, which then send no files of models. @default false */
  readonly isShared?: boolean | undefined
  /** Existing folders whose files front ends may not write. They are outside the others. @default none */
  readonly kept?: readonly string[] | undefined
  /** The object storage that front ends use too. @default none */
  readonly objects?: ObjectStorage | undefined
  readonly logs: WorkerLogs
  readonly isReady: () => boolean
  readonly clock: Clock
  readonly logger: Logger
}
