import { randomUUID } from 'node:crypto'
import { SvcError } from '@svc/errors'
import type { Bus } from '../bus/bus.ts'
import { nextMessage } from '../bus/next-message.ts'
import type { Messages } from '../bus/subjects.ts'
import type { Clock, Logger } from '../ports.ts'
import {
  checkStoppable,
  createEntry,
  type Entry,
  isCancellable,
  isSameChange,
  isSameObject,
  sortViews,
  toView,
} from './entry.ts'
import {
  isFinished,
  isPending,
  type Operation,
  type OperationAction,
  type OperationProgress,
  type OperationRequest,
  type OperationSubject,
  type OperationView,
  type StagingSource,
  type StagingView,
} from './operation.ts'
import { MAX_HISTORY, type OperationStore } from './operation-store.ts'
import type { Operations, PerformOperation } from './operations.ts'
import { createProgressNotes, type ProgressNotes } from './progress-notes.ts'
import { resumeOperation } from './resume-operation.ts'
import { keepsData, OperationStopped } from './stopped-operation.ts'

/** Options of {@link openOperations}. */
export interface OperationsOptions {
  readonly store: OperationStore
  /** Carries the changes of operations, and the requests to stop them. */
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly clock: Clock
  readonly logger: Logger
  /** Operations that run at a time; those of one object always run one after the other. @default 4 */
  readonly concurrency?: number | undefined
  /** Operations that may wait. @default 1000 */
  readonly maxQueued?: number | undefined
  /** Whether an installation that ran when the server ended was done by then. @default never */
  readonly wasCommitted?: ((operation: Operation) => Promise<boolean>) | undefined
  /** Called with every operation that has ended. Must not throw. */
  readonly onEnd?: ((operation: Operation) => void) | undefined
}

const MAX_QUEUED = 1000
/** Characters of the name of an object, of the details of one operation as JSON, and of all that wait. */
const MAX_NAME = 1000
const MAX_DETAILS = 2 * 1024 * 1024
const MAX_QUEUED_DETAILS = 32 * 1024 * 1024
/** Failures that wait to be acknowledged; older ones go to the history. */
const MAX_FAILED = 200
const RETRY_SAVE_MS = 1000
/** Time between two looks whether another server still changes an object. */
const RETRY_START_MS = 1000

/**
 * Reads the operations of the last run. Installations that ran then go on, or are complete where everything was in
 * place already. An installation that got no further in three resumes is failed. So are removals, because nobody knows
 * how much of them was done.
 */
export async function openOperations(options: OperationsOptions): Promise<Operations> {
  const queue = new OperationQueue(options)
  await queue.restore()
  return queue
}

class OperationQueue implements Operations {
  readonly #store: OperationStore
  readonly #bus: OperationsOptions['bus']
  readonly #clock: Clock
  readonly #logger: Logger
  readonly #concurrency: number
  readonly #maxQueued: number
  readonly #performers = new Map<string, PerformOperation>()
  readonly #staging: StagingSource[] = []
  /** Everything outside the history, by job id, in the order of the queue. */
  readonly #entries = new Map<string, Entry>()
  /** The latest operations that have ended, for the facts about them that their rows do not have. */
  readonly #ended = new Map<string, Entry>()
  readonly #closing = new AbortController()
  readonly #onEnd: OperationsOptions['onEnd']
  readonly #resume: (operation: Operation) => Promise<Operation>
  readonly #notes: ProgressNotes
  #position = 0
  #isStarted = false

  constructor(options: OperationsOptions) {
    const { store, bus, clock, logger, concurrency = 4, maxQueued = MAX_QUEUED } = options
    this.#onEnd = options.onEnd
    this.#resume = (operation) => resumeOperation(operation, { clock, wasCommitted: options.wasCommitted })
    this.#notes = createProgressNotes({ store, clock, logger, closing: this.#closing.signal })
    this.#store = store
    this.#bus = bus
    this.#clock = clock
    this.#logger = logger
    this.#concurrency = concurrency
    this.#maxQueued = maxQueued
    bus.subscribe('operations.stopped', (stop) => this.#takeStop(stop), { signal: this.#closing.signal })
  }

  async restore(): Promise<void> {
    for (const found of await this.#store.unfinished()) {
      const operation = found.state === 'running' ? await this.#resume(found) : found
      if (operation !== found) await this.#store.save(operation)
      this.#position = Math.max(this.#position, operation.position)
      if (isFinished(operation)) this.#onEnd?.(operation)
      else this.#entries.set(operation.jobId, createEntry(operation, measure(operation)))
    }
    const [newest] = await this.#store.history()
    this.#position = Math.max(this.#position, newest?.position ?? 0)
  }

  register(subject: OperationSubject, action: OperationAction, perform: PerformOperation): void {
    this.#performers.set(`${subject} ${action}`, perform)
  }

  registerOnNodes(subject: OperationSubject, action: OperationAction, perform: PerformOperation): void {
    this.#performers.set(`${subject} ${action} on nodes`, perform)
  }

  addStaging(source: StagingSource): void {
    this.#staging.push(source)
  }

  start(): void {
    this.#isStarted = true
    this.#startNext()
  }

  async enqueue(request: OperationRequest, { isHere = false } = {}): Promise<Operation> {
    const size = measure(request)
    if (request.fullName.length > MAX_NAME || size > MAX_DETAILS) {
      throw new SvcError('too_large', 'the request is too large for an operation', { code: 'operation_too_large' })
    }
    const same = this.#findPending(request)
    if (same !== undefined) return same.stored
    const queued = this.#in('queued')
    const queuedSize = queued.reduce((sum, entry) => sum + entry.size, size)
    if (queued.length >= this.#maxQueued || queuedSize > MAX_QUEUED_DETAILS) {
      throw new SvcError('unavailable', 'too many operations wait', { code: 'too_many_operations' })
    }
    this.#position += 1
    const { subject, action, fullName, details, nodeId } = request
    const operation: Operation = {
      subject,
      action,
      fullName,
      details,
      ...(nodeId === undefined ? {} : { nodeId }),
      jobId: randomUUID(),
      state: 'queued',
      position: this.#position,
      createdAt: this.#clock.now(),
    }
    const entry = createEntry(operation, size)
    entry.isHeld = true
    entry.stored = this.#insert(entry, isHere)
    // Known before it is stored, so that a second request joins it.
    this.#entries.set(operation.jobId, entry)
    const stored = await entry.stored
    if (stored !== operation) return stored
    await this.#acknowledgeFailures(operation)
    this.#startNext()
    return operation
  }

  async #insert(entry: Entry, isHere: boolean): Promise<Operation> {
    const { operation } = entry
    try {
      const other = await this.#store.insert(operation, { isHere })
      if (other !== undefined) this.#entries.delete(operation.jobId)
      return other ?? operation
    } catch (error) {
      this.#entries.delete(operation.jobId)
      throw error
    } finally {
      entry.isHeld = false
    }
  }

  list(): readonly OperationView[] {
    return sortViews([...this.#entries.values()].map((entry) => this.#toView(entry)))
  }

  staging(): readonly StagingView[] {
    return this.#staging.flatMap((source) => source())
  }

  async find(jobId: string): Promise<OperationView | undefined> {
    const entry = this.#entries.get(jobId)
    if (entry !== undefined) return this.#toView(entry)
    const operation = await this.#store.find(jobId)
    return operation && this.#toView(this.#ended.get(jobId) ?? createEntry(operation))
  }

  cancel(jobId: string): Promise<void> {
    return this.#stop(jobId, 'cancelled')
  }

  pause(jobId: string): Promise<void> {
    return this.#stop(jobId, 'paused')
  }

  async dismiss(jobId: string): Promise<void> {
    const entry = this.#entries.get(jobId)
    if (entry?.operation.state === 'failed') await this.#acknowledge(entry)
  }

  history(): Promise<readonly Operation[]> {
    return this.#store.history()
  }

  clearHistory(): Promise<void> {
    return this.#store.clear()
  }

  async waitForChange(
    jobId: string,
    seen: OperationProgress,
    { signal }: { readonly signal: AbortSignal },
  ): Promise<void> {
    const entry = this.#entries.get(jobId)
    if (entry === undefined || entry.meter.progress !== seen || entry.operation.state === 'failed') return
    await nextMessage(this.#bus, 'operations.changed', { isMeant: (message) => message.jobId === jobId, signal })
  }

  async waitForEnd(jobId: string, options: { readonly signal: AbortSignal }): Promise<OperationView | undefined> {
    for (;;) {
      const view = await this.find(jobId)
      if (view === undefined || !isPending(view)) return view
      await this.waitForChange(jobId, view.progress, options)
    }
  }

  async close(): Promise<void> {
    const stopped = new OperationStopped('the server stops', { keepsData: true })
    this.#closing.abort(stopped)
    const running = this.#in('running')
    for (const entry of running) entry.stop.abort(stopped)
    await Promise.all(running.map(({ ended }) => ended))
  }

  /** The same change, waiting or running, where no other change of the object comes after it. */
  #findPending(request: OperationRequest): Entry | undefined {
    const last = [...this.#entries.values()]
      .filter((entry) => isPending(entry.operation) && isSameObject(entry.operation, request))
      .at(-1)
    if (last === undefined || last.stop.signal.aborted) return undefined
    return isSameChange(last.operation, request) ? last : undefined
  }

  #toView(entry: Entry): OperationView {
    return toView(entry, this.#clock.monotonic())
  }

  #in(state: Operation['state']): readonly Entry[] {
    return [...this.#entries.values()].filter(({ operation }) => operation.state === state)
  }

  async #stop(jobId: string, how: 'cancelled' | 'paused'): Promise<void> {
    const entry = this.#entries.get(jobId)
    checkStoppable(jobId, entry)
    this.#bus.publish('operations.stopped', { jobId, how })
    await entry.ended
  }

  /** Stops an operation of this queue, unless it has got too far meanwhile. */
  #takeStop({ jobId, how }: Messages['operations.stopped']): void {
    const entry = this.#entries.get(jobId)
    if (how === 'dismissed') {
      this.#takeDismissal(jobId)
      return
    }
    if (entry === undefined || !isCancellable(entry)) return
    const { state } = entry.operation
    entry.stop.abort(new OperationStopped(how, { keepsData: how === 'paused' }))
    if (state === 'queued') entry.ended = this.#finishQueued(entry)
  }

  /** Its row is there first: it would stay in the queue of the database otherwise. */
  async #finishQueued(entry: Entry): Promise<void> {
    await entry.stored.catch(() => undefined)
    await this.#finish(entry, { state: toStoppedState(entry) })
  }

  #takeDismissal(jobId: string): void {
    this.dismiss(jobId).catch((error: unknown) => {
      this.#logger.warn({ err: error, jobId }, 'a failure could not be dismissed for another server')
    })
  }

  #noteChange({ operation: { jobId } }: Entry): void {
    this.#bus.publish('operations.changed', { jobId })
  }

  /** Starts the operations that may run: the first of each object, as many at a time as the limit allows. */
  #startNext(): void {
    if (!this.#isStarted || this.#closing.signal.aborted) return
    const busy = this.#in('running').map(({ operation }) => operation)
    for (const entry of this.#in('queued')) {
      if (busy.length >= this.#concurrency) return
      // Operations of one object wait in their order, so a waiting one keeps the later ones back.
      if (entry.stop.signal.aborted || entry.isHeld) continue
      if (busy.some((operation) => isSameObject(operation, entry.operation))) continue
      if (this.#hasEarlier(entry)) continue
      busy.push(entry.operation)
      entry.operation = { ...entry.operation, state: 'running', startedAt: this.#clock.now() }
      entry.ended = this.#run(entry)
    }
  }

  #hasEarlier({ operation }: Entry): boolean {
    return [...this.#entries.values()].some(
      (other) =>
        isPending(other.operation) &&
        other.operation.position < operation.position &&
        isSameObject(other.operation, operation),
    )
  }

  async #run(entry: Entry): Promise<void> {
    const { operation, meter, stop } = entry
    const perform = this.#performers.get(toWorkKind(operation))
    try {
      const isFree = await this.#store.start(operation)
      stop.signal.throwIfAborted()
      if (!isFree) return this.#hold(entry)
      if (perform === undefined) throw new SvcError('internal', 'nothing does this kind of operation')
      await perform({
        ...operation,
        signal: stop.signal,
        report: (report) => {
          meter.report(report, this.#clock.monotonic())
          this.#notes.note(entry)
          this.#noteChange(entry)
        },
        commit: () => {
          stop.signal.throwIfAborted()
          entry.isCommitted = true
        },
      })
      // Its end is being written: a cancel would come too late.
      entry.isCommitted = true
      meter.done('completed')
      await this.#finish(entry, { state: 'completed' })
    } catch (error) {
      // It goes on with the next start, which resumes nothing: the server has ended in order.
      if (this.#closing.signal.aborted && !entry.isCommitted) return await this.#putBack(entry)
      await this.#fail(entry, error)
    }
    this.#startNext()
  }

  /** Lets an operation wait while another server changes its object. */
  #hold(entry: Entry): void {
    entry.operation = { ...entry.operation, state: 'queued', startedAt: undefined }
    entry.isHeld = true
    const goOn = (): void => {
      entry.isHeld = false
      this.#startNext()
    }
    this.#clock.sleep(RETRY_START_MS, { signal: this.#closing.signal }).then(goOn, () => undefined)
    this.#startNext()
  }

  /** Nobody knows which part of a removal was done: the next start fails it. */
  async #putBack(entry: Entry): Promise<void> {
    if (entry.operation.action === 'deletion') return
    await this.#notes.end(entry)
    entry.operation = { ...entry.operation, state: 'queued', startedAt: undefined }
    await this.#store.save(entry.operation).catch((error: unknown) => {
      this.#logger.warn({ err: error, jobId: entry.operation.jobId }, 'an operation could not be put back')
    })
  }

  async #fail(entry: Entry, error: unknown): Promise<void> {
    if (entry.stop.signal.aborted && !entry.isCommitted) return this.#finish(entry, { state: toStoppedState(entry) })
    const { jobId, fullName } = entry.operation
    this.#logger.warn({ err: error, jobId, name: fullName }, 'operation failed')
    await this.#finish(entry, { state: 'failed', error: describe(error) })
    for (const old of this.#in('failed').slice(0, -MAX_FAILED)) await this.#acknowledge(old)
  }

  /** Brings an operation to an end. Its row is written before it leaves the list. */
  async #finish(entry: Entry, end: Pick<Operation, 'state' | 'error'>): Promise<void> {
    await this.#notes.end(entry)
    const operation: Operation = { ...entry.operation, ...end, finishedAt: this.#clock.now() }
    await this.#save(operation)
    entry.operation = operation
    this.#onEnd?.(operation)
    if (isFinished(operation)) this.#leave(entry)
    this.#noteChange(entry)
    this.#startNext()
  }

  /** Writes the end of an operation, again and again while the database takes nothing. */
  async #save(operation: Operation): Promise<void> {
    for (;;) {
      try {
        return await this.#store.save(operation)
      } catch (error) {
        this.#logger.error({ err: error, jobId: operation.jobId }, 'the end of an operation could not be stored')
        if (this.#closing.signal.aborted) return
        await this.#clock.sleep(RETRY_SAVE_MS, { signal: this.#closing.signal }).catch(() => undefined)
      }
    }
  }

  async #acknowledge(entry: Entry): Promise<void> {
    const operation: Operation = { ...entry.operation, state: 'dismissed' }
    await this.#store.save(operation)
    entry.operation = operation
    this.#leave(entry)
    this.#noteChange(entry)
  }

  /** Takes an operation that is in the history out of the list. */
  #leave(entry: Entry): void {
    this.#entries.delete(entry.operation.jobId)
    this.#ended.set(entry.operation.jobId, entry)
    for (const oldest of [...this.#ended.keys()].slice(0, -MAX_HISTORY)) this.#ended.delete(oldest)
  }

  /** Acknowledges earlier failures of the object. */
  async #acknowledgeFailures({ position, ...request }: Operation): Promise<void> {
    for (const entry of this.#in('failed')) {
      if (entry.operation.position < position && isSameObject(entry.operation, request)) await this.#acknowledge(entry)
    }
  }
}

function toWorkKind({ subject, action, nodeId }: OperationRequest): string {
  return `${subject} ${action}${nodeId === undefined ? '' : ' on nodes'}`
}

function toStoppedState({ stop }: Entry): 'cancelled' | 'paused' {
  return keepsData(stop.signal) ? 'paused' : 'cancelled'
}

function measure({ details }: OperationRequest): number {
  return JSON.stringify(details).length
}

function describe(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
