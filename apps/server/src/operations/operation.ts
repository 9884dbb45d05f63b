import type { TransferRate } from './transfer-rate.ts'

/** The object of an operation. */
export type OperationSubject = 'model' | 'backend'

/** The change that an operation makes. */
export type OperationAction = 'installation' | 'deletion'

/**
 * State of an operation (§3.3). `dismissed` is a failure that somebody has acknowledged; `paused` is a cancelled one
 * whose data is kept.
 */
export type OperationState = 'queued' | 'running' | 'failed' | 'dismissed' | 'completed' | 'cancelled' | 'paused'

/** Phases of an installation, as they go out (§2.7). */
export type OperationPhase = 'Resolving files' | 'Downloading' | 'Verifying' | 'Finalizing' | 'Saving configuration'

/** A change that somebody asks for. */
export interface OperationRequest {
  readonly subject: OperationSubject
  readonly action: OperationAction
  /** Name of the object, `gallery@name` where a gallery has it. */
  readonly fullName: string
  /** Data of the work beside the name. It is stored, so it holds only JSON. */
  readonly details: Readonly<Record<string, unknown>>
  /** The worker on which the object is changed. @default the object is one of this server */
  readonly nodeId?: string | undefined
}

/** Progress of the work of an operation. */
export interface OperationProgress {
  /** 0 to 100. */
  readonly percent: number
  readonly phase?: OperationPhase | undefined
  readonly message: string
  readonly fileName?: string | undefined
  readonly currentBytes?: number | undefined
  readonly totalBytes?: number | undefined
  /** Bytes that have come over the network by now, without those that were here before. */
  readonly receivedBytes?: number | undefined
}

/** Number of times that an installation was resumed after the server ended while it ran. */
export interface Resumes {
  /** Resumes since it got further than `bytes`. */
  readonly count: number
  /** Bytes that it had reached. */
  readonly bytes: number
}

/** One operation. Times are milliseconds since the epoch. */
export interface Operation extends OperationRequest {
  readonly jobId: string
  readonly state: OperationState
  /** Order of the queue. */
  readonly position: number
  readonly error?: string | undefined
  /** Resumes of an installation that the end of the server has interrupted. */
  readonly resumes?: Resumes | undefined
  readonly createdAt: number
  readonly startedAt?: number | undefined
  readonly finishedAt?: number | undefined
}

/** An operation with its progress. */
export interface OperationView extends Operation {
  readonly progress: OperationProgress
  /** The speed of its data. */
  readonly rate: TransferRate
  /** Whether {@link Operations.cancel} takes it. */
  readonly cancellable: boolean
}

/** Status of one worker in an operation on several machines (§2.7). */
export type WorkerStatus = 'Queued' | 'Downloading' | 'Worker busy' | 'Done' | 'Failed'

/** The row of one worker. */
export interface WorkerRow {
  readonly nodeId: string
  readonly nodeName: string
  readonly status: WorkerStatus
  readonly percent: number
  readonly fileName?: string | undefined
  readonly currentBytes?: number | undefined
  readonly totalBytes?: number | undefined
  readonly phase?: OperationPhase | undefined
  readonly error?: string | undefined
}

/** Staging of a model on a cluster: it is listed while it runs, and never recorded. */
export interface StagingView {
  /** `staging:<model>` */
  readonly jobId: string
  readonly fullName: string
  readonly progress: OperationProgress
  readonly nodeId?: string | undefined
  readonly nodeName?: string | undefined
  readonly nodes: readonly WorkerRow[]
}

/** Lists staging that runs elsewhere in the server. */
export type StagingSource = () => readonly StagingView[]

/** The name without its gallery. */
export function nameWithoutGallery(fullName: string): string {
  return fullName.slice(fullName.indexOf('@') + 1)
}

/** States of operations in the history. */
export const FINISHED_STATES: readonly OperationState[] = ['completed', 'cancelled', 'paused', 'dismissed']

/** Whether an operation waits or runs. */
export function isPending({ state }: Pick<Operation, 'state'>): boolean {
  return state === 'queued' || state === 'running'
}

/** Whether an operation is in the history. */
export function isFinished({ state }: Pick<Operation, 'state'>): boolean {
  return FINISHED_STATES.includes(state)
}
