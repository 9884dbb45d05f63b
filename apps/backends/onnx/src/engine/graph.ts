import { Worker } from 'node:worker_threads'
import { badModel, OnnxError } from '../errors.ts'
import type { GraphReply, GraphRun, GraphShape, GraphSource, NumberBlock } from './protocol.ts'

/** A graph in a thread of its own. One run at a time. */
interface GraphThread {
  readonly shape: GraphShape
  run(run: GraphRun): Promise<NumberBlock>
  close(): Promise<void>
}

/** A graph that is loaded, in one thread or in several that run side by side. */
export interface Graph {
  readonly shape: GraphShape
  /** Runs that are going on now. */
  readonly busy: number
  /**
   * Waits for a thread and runs. A caller whose signal aborts is let go at once; the run itself goes on to its end.
   * @throws OnnxError `rate_limited` where too many wait, `unavailable` where the graph is being closed
   */
  run(run: GraphRun, options: { readonly signal: AbortSignal }): Promise<NumberBlock>
  /** Turns away who waits, waits for what runs, and frees the memory. */
  close(): Promise<void>
}

/** What {@link openGraph} needs beside the source. */
export interface GraphOptions extends GraphSource {
  readonly parallel: number
  readonly maxWaiting: number
  readonly signal: AbortSignal
}

interface Waiter {
  readonly admit: (thread: GraphThread) => void
  readonly refuse: (reason: unknown) => void
}

/** Loads a graph. @throws OnnxError `unprocessable` where the engine does not take it */
export async function openGraph({ parallel, maxWaiting, signal, ...source }: GraphOptions): Promise<Graph> {
  const threads = await startThreads(parallel, source, signal)
  const [first] = threads
  if (first === undefined) throw new Error('a graph has at least one thread')
  const idle = [...threads]
  const line = new Set<Waiter>()
  let closed = false
  let onIdle = (): void => {}

  const give = (thread: GraphThread): void => {
    const [next] = line
    if (next === undefined) idle.push(thread)
    else {
      line.delete(next)
      next.admit(thread)
    }
    if (idle.length === threads.length) onIdle()
  }

  const take = (caller: AbortSignal): Promise<GraphThread> => {
    if (closed) throw closing()
    const thread = idle.pop()
    if (thread !== undefined) return Promise.resolve(thread)
    if (line.size >= maxWaiting) {
      throw new OnnxError('rate_limited', 'too many requests wait for this model', { code: 'queue_full' })
    }
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        line.delete(waiter)
        reject(caller.reason)
      }
      const waiter: Waiter = {
        admit: (admitted) => {
          caller.removeEventListener('abort', leave)
          resolve(admitted)
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

  return {
    shape: first.shape,
    get busy() {
      return threads.length - idle.length
    },
    run: async (run, { signal: caller }) => {
      caller.throwIfAborted()
      const thread = await take(caller)
      const running = thread.run(run).finally(() => give(thread))
      return await orAbort(running, caller)
    },
    close: async () => {
      closed = true
      for (const waiter of line) waiter.refuse(closing())
      line.clear()
      if (idle.length < threads.length) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
        })
      }
      await Promise.all(threads.map((thread) => thread.close()))
    },
  }
}

async function startThreads(count: number, source: GraphSource, signal: AbortSignal): Promise<readonly GraphThread[]> {
  const started = await Promise.allSettled(Array.from({ length: count }, () => startThread(source, signal)))
  const threads = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = started.find((result) => result.status === 'rejected')
  if (failed === undefined) return threads
  await Promise.all(threads.map((thread) => thread.close()))
  throw failed.reason
}

async function startThread(source: GraphSource, signal: AbortSignal): Promise<GraphThread> {
  signal.throwIfAborted()
  const program = import.meta.url.endsWith('.ts') ? './graph-thread.mjs' : './graph-thread.js'
  const worker = new Worker(new URL(program, import.meta.url), { workerData: source, execArgv: [] })
  const close = async (): Promise<void> => {
    await worker.terminate()
  }
  try {
    const first = await orAbort(nextReply(worker), signal)
    if (first.kind !== 'loaded') throw badModel(first.kind === 'failed' ? first.message : 'the engine did not start')
    return {
      shape: first.shape,
      run: async (run) => {
        const reply = nextReply(worker)
        worker.postMessage(run)
        const result = await reply
        if (result.kind === 'done') return result.output
        const message = result.kind === 'failed' ? result.message : 'no result'
        throw new OnnxError('internal', `the model failed: ${message}`, { code: 'model_failed' })
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** What a thread says next; fails where it ends instead. */
function nextReply(worker: Worker): Promise<GraphReply> {
  return new Promise((resolve, reject) => {
    const settle = (): void => {
      worker.off('message', onMessage)
      worker.off('error', onError)
      worker.off('exit', onExit)
    }
    const onMessage = (reply: GraphReply): void => {
      settle()
      resolve(reply)
    }
    const onError = (error: Error): void => {
      settle()
      reject(new OnnxError('internal', `the engine failed: ${error.message}`, { cause: error, code: 'model_failed' }))
    }
    const onExit = (): void => onError(new Error('its thread ended'))
    worker.on('message', onMessage)
    worker.on('error', onError)
    worker.on('exit', onExit)
  })
}

/** The result of a work, or the reason of the signal if that comes first. */
async function orAbort<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  signal.throwIfAborted()
  return await new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}

function closing(): OnnxError {
  return new OnnxError('unavailable', 'the model is being unloaded', { code: 'model_unloading' })
}
