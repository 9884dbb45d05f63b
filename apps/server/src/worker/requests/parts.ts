import type { OldCopies } from '../../galleries/old-copies.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { WorkerBackends } from '../backends.ts'
import type { StorageFiles } from '../files/storage-files.ts'
import type { WorkerProcesses } from '../processes.ts'

/** What answers the requests of front ends. */
export interface RequestParts {
  readonly backends: WorkerBackends
  readonly processes: WorkerProcesses
  readonly oldCopies: Pick<OldCopies, 'release'>
  /** Folders that hold the files of models that front ends have sent. */
  readonly stagedFolders: readonly string[]
  /** Files between this worker and the object storage; undefined without one. */
  readonly storageFiles: StorageFiles | undefined
  /** Sends progress over the bus; dropped while it is away. */
  readonly publish: (subject: string, payload: unknown) => void
  readonly nodeId: string
  /** Ends the worker as a signal would. */
  readonly stopWorker: () => void
  readonly clock: Pick<Clock, 'monotonic'>
  readonly logger: Logger
}

/** Longest text of an error in a reply. */
const MAX_ERROR = 2000

/** The error of a reply. */
export function toErrorText(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, MAX_ERROR)
}
