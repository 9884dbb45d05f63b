import { createSlotPool, orAbort } from '@svc/backend-kit'
import { badModel, OnnxError } from '../errors.ts'
import { askGraph, type GraphProcess, startGraphProcess } from './graph-child.ts'
import type { GraphRun, GraphShape, GraphSource, NumberBlock } from './protocol.ts'

/** A loaded graph, in one process or in several that run in parallel. */
export interface Graph {
  readonly shape: GraphShape
  /** Number of current runs. */
  readonly busy: number
  /** Whether a process ended unexpectedly: its requests have failed, and the graph must be loaded again. */
  readonly isLost: boolean
  /** Highest observed memory of the processes, in bytes. */
  readonly memoryBytes: number
  /**
   * Waits for a process and runs. An abort ends the wait at once; the run itself goes on to its end. @throws
   * `queue_full` (rate_limited) when too many wait, `model_unloading` (unavailable) when the graph is closing
   */
  run(run: GraphRun, options: { readonly signal: AbortSignal }): Promise<NumberBlock>
  /** Refuses waiters, ends running requests, and frees the memory. */
  close(): Promise<void>
}

/** Options of {@link openGraph}. */
export interface GraphOptions extends GraphSource {
  readonly parallel: number
  readonly maxWaiting: number
  readonly signal: AbortSignal
}

/** One process with the graph. */
interface Member {
  readonly process: GraphProcess
  readonly shape: GraphShape
  memoryBytes: number
}

/** Loads a graph. @throws OnnxError `unprocessable` when the engine refuses it */
export async function openGraph({ parallel, maxWaiting, signal, ...source }: GraphOptions): Promise<Graph> {
  const members = await startMembers(parallel, source, signal)
  const [first] = members
  if (first === undefined) throw new Error('a graph has at least one process')
  const pool = createSlotPool(members, { maxWaiting })
  let closed = false

  const runOn = async (member: Member, run: GraphRun): Promise<NumberBlock> => {
    const reply = await askGraph(member.process, { kind: 'run', run })
    if (reply.kind !== 'done') {
      const message = reply.kind === 'failed' ? reply.message : 'no result'
      throw new OnnxError('internal', `the model failed: ${message}`, { code: 'model_failed' })
    }
    member.memoryBytes = reply.memoryBytes
    return reply.output
  }

  return {
    shape: first.shape,
    get busy() {
      return pool.busy
    },
    get isLost() {
      return !closed && members.some((member) => member.process.hasEnded)
    },
    get memoryBytes() {
      return members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
    },
    run: async (run, { signal: caller }) => {
      const lease = await pool.acquire({ signal: caller })
      const running = runOn(lease.slot, run).finally(lease.release)
      return await orAbort(running, caller)
    },
    close: async () => {
      closed = true
      const emptied = pool.close()
      await Promise.all(members.map((member) => member.process.close()))
      await emptied
    },
  }
}

async function startMembers(count: number, source: GraphSource, signal: AbortSignal): Promise<readonly Member[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, () => startMember(source, signal)))
  const members = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = started.find((result) => result.status === 'rejected')
  if (failed === undefined) return members
  await Promise.all(members.map((member) => member.process.close()))
  throw failed.reason
}

async function startMember(source: GraphSource, signal: AbortSignal): Promise<Member> {
  signal.throwIfAborted()
  const process = startGraphProcess()
  try {
    const reply = await orAbort(askGraph(process, { kind: 'load', source }), signal)
    if (reply.kind === 'loaded') return { process, shape: reply.shape, memoryBytes: reply.memoryBytes }
    throw badModel(reply.kind === 'failed' ? reply.message : 'the engine did not load it')
  } catch (error) {
    await process.close()
    throw error
  }
}
