import { badModel, OnnxError } from '../errors.ts'
import { askGraph, type GraphProcess, startGraphProcess } from './graph-child.ts'
import { orAbort } from './or-abort.ts'
import type { GraphRun, GraphShape, GraphSource, NumberBlock } from './protocol.ts'

/** A graph that is loaded, in one process or in several that run side by side. */
export interface Graph {
  readonly shape: GraphShape
  /** Runs that are going on now. */
  readonly busy: number
  /** Whether a process ended unasked: what it was asked has failed, and the graph is to be loaded again. */
  readonly isLost: boolean
  /** Bytes that the processes were seen to take. */
  readonly memoryBytes: number
  /**
   * Waits for a process and runs. A caller whose signal aborts is let go at once; the run itself goes on to its end.
   * @throws OnnxError `rate_limited` where too many wait, `unavailable` where the graph is being closed
   */
  run(run: GraphRun, options: { readonly signal: AbortSignal }): Promise<NumberBlock>
  /** Turns away who waits, ends what runs, and frees the memory. */
  close(): Promise<void>
}

/** What {@link openGraph} needs beside the source. */
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

interface Waiter {
  readonly admit: (member: Member) => void
  readonly refuse: (reason: unknown) => void
}

/** Loads a graph. @throws OnnxError `unprocessable` where the engine does not take it */
export async function openGraph({ parallel, maxWaiting, signal, ...source }: GraphOptions): Promise<Graph> {
  const members = await startMembers(parallel, source, signal)
  const [first] = members
  if (first === undefined) throw new Error('a graph has at least one process')
  const idle = [...members]
  const line = new Set<Waiter>()
  let closed = false

  const give = (member: Member): void => {
    const [next] = line
    if (next === undefined) idle.push(member)
    else {
      line.delete(next)
      next.admit(member)
    }
  }

  const take = (caller: AbortSignal): Promise<Member> => {
    if (closed) throw closing()
    const member = idle.pop()
    if (member !== undefined) return Promise.resolve(member)
    if (line.size >= maxWaiting) {
      throw new OnnxError('rate_limited', 'too many requests wait for this model', { code: 'queue_full' })
    }
    return standInLine(line, caller)
  }

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
      return members.length - idle.length
    },
    get isLost() {
      return !closed && members.some((member) => member.process.hasEnded)
    },
    get memoryBytes() {
      return members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0)
    },
    run: async (run, { signal: caller }) => {
      caller.throwIfAborted()
      const member = await take(caller)
      const running = runOn(member, run).finally(() => give(member))
      return await orAbort(running, caller)
    },
    close: async () => {
      closed = true
      for (const waiter of line) waiter.refuse(closing())
      line.clear()
      await Promise.all(members.map((member) => member.process.close()))
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

function standInLine(line: Set<Waiter>, caller: AbortSignal): Promise<Member> {
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      line.delete(waiter)
      reject(caller.reason)
    }
    const waiter: Waiter = {
      admit: (member) => {
        caller.removeEventListener('abort', leave)
        resolve(member)
      },
      refuse: (reason) => {
        caller.removeEventListener('abort', leave)
        reject(reason)
      },
    }
    line.add(waiter)
    caller.addEventListener('abort', leave, { once: true })
  })
}

function closing(): OnnxError {
  return new OnnxError('unavailable', 'the model is being unloaded', { code: 'model_unloading' })
}
