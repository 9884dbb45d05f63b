import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { badModel, SpeechError } from '../../errors.ts'
import { readMemory } from './memory.ts'
import type { EngineReply, EngineRequest } from './protocol.ts'
import { createReplyQueue, type ReplyQueue } from './reply-queue.ts'

/** What runs in a process, and within which bounds. */
export interface EngineProgram {
  /** File of the program, which calls `serveEngine`. */
  readonly file: URL
  /** Argument of its `load`; must survive structured cloning. */
  readonly settings: unknown
  /** Resident memory of the process, in bytes. Beyond it, the process is killed (on Linux). */
  readonly memoryLimit: number
  /** Time of the load, an integer. */
  readonly loadTimeoutMs: number
}

/** A process with a loaded model. */
export interface EngineProcess {
  /** What the program said about the model when it had loaded it. */
  readonly facts: unknown
  readonly hasEnded: boolean
  /** Resident memory when it was last looked at, in bytes. */
  readonly memoryBytes: number
  /**
   * Runs one call; the process runs one at a time. Yields its pieces and returns its result. Leaving before the end kills
   * the process: an engine cannot be interrupted otherwise.
   *
   * @throws SpeechError `internal`, code `model_failed`, when the process ends or fails; `invalid_request` for requests
   *   that the program refuses; the signal's reason once it is aborted
   */
  call(request: unknown, options: { readonly signal: AbortSignal }): AsyncGenerator<unknown, unknown>
  /** Kills the process; a running call fails. */
  close(): Promise<void>
}

const MEMORY_INTERVAL_MS = 200
const MB = 1024 * 1024

/**
 * Starts a process and loads a model in it. The process ends with this process in any case.
 *
 * @throws SpeechError `unprocessable` when the engine refuses the model, crashes, needs more memory or more time than
 *   allowed; the signal's reason once it is aborted
 */
export async function startEngineProcess(
  program: EngineProgram,
  { signal }: { readonly signal: AbortSignal },
): Promise<EngineProcess> {
  signal.throwIfAborted()
  const running = runProgram(program)
  const deadline = AbortSignal.timeout(program.loadTimeoutMs)
  try {
    running.send({ kind: 'load', settings: program.settings })
    const reply = await running.replies.next(AbortSignal.any([signal, deadline]))
    if (reply.kind === 'failed') throw badModel(reply.message)
    if (reply.kind !== 'loaded') throw badModel('the engine did not load it')
    await running.checkMemory()
    return toEngineProcess(running, reply.facts)
  } catch (error) {
    await running.close()
    signal.throwIfAborted()
    if (deadline.aborted) {
      throw badModel(`the engine did not load it within ${Math.round(program.loadTimeoutMs / 1000)} seconds`)
    }
    throw error instanceof SpeechError && error.kind === 'internal' ? badModel(error.message, error) : error
  }
}

interface RunningProgram {
  readonly replies: ReplyQueue
  readonly hasEnded: boolean
  readonly memoryBytes: number
  /** Looks at the memory, and kills the process beyond the limit. @throws SpeechError `internal` then */
  checkMemory(): Promise<void>
  send(request: EngineRequest): void
  close(): Promise<void>
}

function toEngineProcess(running: RunningProgram, facts: unknown): EngineProcess {
  return {
    facts,
    get hasEnded() {
      return running.hasEnded
    },
    get memoryBytes() {
      return running.memoryBytes
    },
    close: running.close,
    async *call(request, { signal }) {
      let isOver = false
      try {
        running.send({ kind: 'call', request })
        for (;;) {
          const reply = await running.replies.next(signal)
          isOver = reply.kind === 'done' || reply.kind === 'failed'
          if (reply.kind === 'done') return reply.result
          if (reply.kind === 'failed') throw toCallError(reply)
          if (reply.kind !== 'piece') throw engineFailed('the engine sent something unexpected')
          yield reply.piece
          running.send({ kind: 'taken', count: 1 })
        }
      } finally {
        if (!isOver) void running.close()
      }
    },
  }
}

/** Forks the program and watches its memory. */
function runProgram({ file, memoryLimit }: EngineProgram): RunningProgram {
  const child = fork(file, {
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const replies = createReplyQueue()
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).catch(() => {})
  let hasEnded = false
  let memoryBytes = 0
  const kill = (error: SpeechError): void => {
    replies.fail(error)
    child.kill('SIGKILL')
  }
  const checkMemory = async (): Promise<void> => {
    const bytes = (await readMemory(child.pid ?? 0)) ?? 0
    memoryBytes = hasEnded ? 0 : bytes
    if (bytes <= memoryLimit) return
    const limit = Math.round(memoryLimit / MB)
    const error = engineFailed(`the engine needed more than ${limit} MB of memory (option memory_limit_mb)`)
    kill(error)
    throw error
  }
  const watch = setInterval(() => {
    // The queue of replies has the error.
    checkMemory().catch(() => undefined)
  }, MEMORY_INTERVAL_MS)
  watch.unref()
  // The other side is a file of this package: its messages match the types.
  child.on('message', (reply: EngineReply) => {
    if (!replies.push(reply)) kill(engineFailed('the engine sends faster than it is read'))
  })
  void ended.then(() => {
    hasEnded = true
    memoryBytes = 0
    clearInterval(watch)
    replies.fail(engineFailed(`the engine ended with ${child.signalCode ?? `code ${child.exitCode}`}`))
  })
  return {
    replies,
    get hasEnded() {
      return hasEnded
    },
    get memoryBytes() {
      return memoryBytes
    },
    checkMemory,
    send: (request) => sendTo(child, request),
    close: async () => {
      hasEnded = true
      child.kill('SIGKILL')
      await ended
    },
  }
}

function sendTo(child: ChildProcess, request: EngineRequest): void {
  // A failure to send means that the process is ending, which the queue reports.
  if (child.connected) child.send(request, () => undefined)
}

function toCallError(reply: Extract<EngineReply, { readonly kind: 'failed' }>): SpeechError {
  if (reply.isRequest) return new SpeechError('invalid_request', reply.message)
  return engineFailed(`the model failed: ${reply.message}`)
}

function engineFailed(message: string): SpeechError {
  return new SpeechError('internal', message, { code: 'model_failed' })
}
