import type { Token } from 'node-llama-cpp'
import { LlamaError } from '../errors.ts'
import type { LogitIndex, NativeContext } from './native.ts'

/** One conversation in the engine's memory. */
export interface Sequence {
  /** From 0. */
  readonly id: number
  /** The tokens it has read, in order. Only {@link Batcher} and work between batches change them. */
  readonly tokens: Token[]
}

/** Tokens to read after the tokens of a sequence. */
export interface DecodeJob {
  readonly sequence: Sequence
  readonly tokens: readonly Token[]
  /** Reads the scores after a token, by its index in {@link tokens}; the next batch discards them. */
  readonly read?: ((index: LogitIndex, place: number) => Promise<void>) | undefined
  /** First index to read. @default the last token */
  readonly readFrom?: number | undefined
  readonly signal: AbortSignal
}

/** Puts the work of all sequences into common batches, so that a long prompt does not block other sequences. */
export interface Batcher {
  /**
   * Reads tokens. One job a sequence at a time. @throws the signal's reason, between two batches: the sequence keeps
   * the tokens read until then
   */
  decode(job: DecodeJob): Promise<void>
  /** Runs work on the engine's memory while no batch is evaluated. */
  between<Result>(work: () => Result | Promise<Result>): Promise<Result>
  /** Waits until no job runs. */
  idle(): Promise<void>
}

interface Running extends DecodeJob {
  /** Tokens read so far. */
  done: number
  settle(error?: unknown): void
}

interface Share {
  readonly job: Running
  readonly count: number
}

/** Most tokens with kept scores: each takes the memory of a whole vocabulary. */
const MAX_READS = 32
const MIN_SHARE = 4

/**
 * Creates a batcher of one context.
 *
 * @param options.batchSize most tokens in a batch, at least as many as there are sequences @param options.biteTokens
 *   tokens of all long prompts together in one batch: a batch cannot be interrupted
 */
export function createBatcher(
  context: NativeContext,
  options: { readonly batchSize: number; readonly biteTokens: number },
): Batcher {
  const jobs = new Set<Running>()
  let tasks: (() => Promise<void>)[] = []
  let running: Promise<void> | undefined

  const run = async (): Promise<void> => {
    // Jobs of one moment go into one batch.
    await nextTurn()
    while (jobs.size > 0 || tasks.length > 0) {
      const due = tasks
      tasks = []
      for (const task of due) await task()
      const shares = planBatch([...jobs], options)
      if (shares.length > 0) await evaluate(context, inOrder(shares))
      for (const job of jobs) if (job.done === job.tokens.length) job.settle()
      await nextTurn()
    }
    running = undefined
  }
  const start = (): void => {
    running ??= run()
  }

  return {
    decode: ({ signal, ...job }) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason)
        const leave = (): void => running_.settle(signal.reason)
        const running_: Running = {
          ...job,
          signal,
          done: 0,
          settle: (error) => {
            if (!jobs.delete(running_)) return
            signal.removeEventListener('abort', leave)
            if (error === undefined) resolve()
            else reject(error)
          },
        }
        signal.addEventListener('abort', leave, { once: true })
        jobs.add(running_)
        start()
      }),
    between: (work) =>
      new Promise((resolve, reject) => {
        tasks.push(async () => {
          try {
            resolve(await work())
          } catch (error) {
            reject(error)
          }
        })
        start()
      }),
    idle: async () => {
      await running
    },
  }
}

/** Plans a batch: first every job with a single token, then shares of the bite for the reading jobs. */
export function planBatch(
  jobs: readonly Pick<Running, 'tokens' | 'done' | 'read' | 'readFrom'>[],
  options: { readonly batchSize: number; readonly biteTokens: number },
): Share[] {
  const left = (job: Pick<Running, 'tokens' | 'done'>): number => job.tokens.length - job.done
  const single = jobs.filter((job) => left(job) === 1)
  const long = jobs.filter((job) => left(job) > 1)
  let room = options.batchSize - single.length
  const bite = Math.min(room, options.biteTokens)
  const share = Math.max(1, Math.min(MIN_SHARE, options.biteTokens), Math.floor(bite / Math.max(1, long.length)))
  const shares: { job: (typeof jobs)[number]; count: number }[] = single.map((job) => ({ job, count: 1 }))
  for (const job of long) {
    const count = Math.min(share, room, left(job), countReadable(job))
    if (count > 0) shares.push({ job, count })
    room -= Math.max(0, count)
  }
  // The jobs are the argument's jobs.
  return shares as Share[]
}

/** Tokens up to the limit of kept scores. */
function countReadable(job: Pick<Running, 'tokens' | 'done' | 'read' | 'readFrom'>): number {
  if (job.read === undefined) return Number.POSITIVE_INFINITY
  const unread = Math.max(0, (job.readFrom ?? job.tokens.length - 1) - job.done)
  return unread + MAX_READS
}

/** The engine evaluates sequences together only in ascending order. */
function inOrder(shares: readonly Share[]): Share[] {
  return [...shares].sort((a, b) => a.job.sequence.id - b.job.sequence.id)
}

async function evaluate(context: NativeContext, shares: readonly Share[]): Promise<void> {
  const reads: (() => Promise<void>)[] = []
  try {
    context.initBatch(shares.reduce((sum, { count }) => sum + count, 0))
    for (const { job, count } of shares) reads.push(addToBatch(context, job, count))
    await context.decodeBatch()
  } catch (error) {
    // The engine's memory of these sequences is unknown now.
    for (const { job } of shares) {
      context.disposeSequence(job.sequence.id)
      job.sequence.tokens.length = 0
      job.settle(new LlamaError('internal', 'the engine failed to evaluate a batch', { cause: error }))
    }
    return
  }
  for (const { job, count } of shares) {
    for (const token of job.tokens.slice(job.done, job.done + count)) job.sequence.tokens.push(token)
    job.done += count
  }
  await Promise.all(reads.map((read) => read()))
}

/** Adds a share to the batch; the result reads its scores, and its failure is the failure of the job. */
function addToBatch(context: NativeContext, job: Running, count: number): () => Promise<void> {
  const { read, done: start } = job
  const readFrom = read === undefined ? Number.POSITIVE_INFINITY : (job.readFrom ?? job.tokens.length - 1)
  const places = Array.from({ length: count }, (_, index) => index).filter((index) => start + index >= readFrom)
  const indexes = context.addToBatch(
    job.sequence.id,
    job.sequence.tokens.length,
    Uint32Array.from(job.tokens.slice(start, start + count)),
    Uint32Array.from(places),
  )
  return async () => {
    try {
      for (const [order, place] of places.entries()) {
        if (job.signal.aborted) return
        await read?.(indexes[order] ?? -1, start + place)
      }
    } catch (error) {
      job.settle(error)
    }
  }
}

/** Lets the event loop write answers, receive calls and request the next tokens. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
