import type {
  Operation,
  OperationAction,
  OperationProgress,
  OperationRequest,
  OperationSubject,
  OperationView,
  StagingSource,
  StagingView,
} from './operation.ts'
import type { ProgressReport } from './progress-meter.ts'

/** Parameters of the work of an operation. */
export interface OperationWork extends OperationRequest {
  readonly jobId: string
  /** Aborts with an {@link OperationStopped}; the work then undoes its changes and rejects. */
  readonly signal: AbortSignal
  report(report: ProgressReport): void
  /**
   * Notes that the work now replaces the old files: from here on it ends by itself.
   *
   * @throws the signal's reason, where the operation is to end
   */
  commit(): void
}

/** Does the work of one kind of operation. */
export type PerformOperation = (work: OperationWork) => Promise<void>

/** Background changes of models and backends (§2.7, §3.3): a durable queue, what runs, failures, and the history. */
export interface Operations {
  /** Says who does the work of a kind; once for each kind, before {@link Operations.start}. */
  register(subject: OperationSubject, action: OperationAction, perform: PerformOperation): void
  /** Says who does the work of a kind on workers. */
  registerOnNodes(subject: OperationSubject, action: OperationAction, perform: PerformOperation): void
  /** Adds a list of staging that runs elsewhere. */
  addStaging(source: StagingSource): void
  /** Begins to work, also on installations that ran when the server ended. */
  start(): void
  /**
   * Queues a change and returns its job. The same change of the same object that waits or runs already is joined. A failure
   * of the object is acknowledged by it.
   *
   * @param options.isHere whether this server is to do it also where another one that shares the database does the same.
   *   Without it that one is joined. @default false
   * @throws {SvcError} `unavailable`, code `too_many_operations` or of the database; `too_large`, code `operation_too_large`
   */
  enqueue(request: OperationRequest, options?: { readonly isHere?: boolean }): Promise<Operation>
  /** Queued, running and failed operations, the least advanced first (§4.6). */
  list(): readonly OperationView[]
  /** Staging that runs now. */
  staging(): readonly StagingView[]
  /** An operation of the list or of the history. */
  find(jobId: string): Promise<OperationView | undefined>
  /**
   * Ends a queued operation or a running installation, and discards the bytes that a plain download has fetched.
   *
   * @throws {SvcError} `invalid_request`, code `operation_not_found`, `operation_cancelled` or `operation_not_cancellable`
   */
  cancel(jobId: string): Promise<void>
  /**
   * Ends the same as {@link Operations.cancel} does, and keeps the fetched bytes.
   *
   * @throws as {@link Operations.cancel}
   */
  pause(jobId: string): Promise<void>
  /** Moves a failure to the history; does nothing for any other id. */
  dismiss(jobId: string): Promise<void>
  /** The last 50 finished operations, newest first. */
  history(): Promise<readonly Operation[]>
  clearHistory(): Promise<void>
  /** Resolves with the next change of an operation's progress or state; at once where `seen` is not the present one. */
  waitForChange(jobId: string, seen: OperationProgress, options: { readonly signal: AbortSignal }): Promise<void>
  /** The operation once it neither waits nor runs; undefined for an unknown id. @throws the signal's reason */
  waitForEnd(jobId: string, options: { readonly signal: AbortSignal }): Promise<OperationView | undefined>
  /** Stops the work and keeps the fetched bytes: it goes on with the next start. */
  close(): Promise<void>
}
