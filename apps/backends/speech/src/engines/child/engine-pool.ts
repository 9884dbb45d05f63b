import { type CallSignal, createCallSignals, createSlotPool, orAbort } from '@svc/backend-kit'
import { type EngineProcess, type EngineProgram, startEngineProcess } from './engine-process.ts'

/** Options of {@link openEnginePool}. */
export interface EnginePoolOptions {
  readonly program: EngineProgram
  /** Processes, each with one call at a time. */
  readonly parallel: number
  /** Calls that may wait. */
  readonly maxWaiting: number
  /** Whether one more process holds the model, ready to take the place of one that is killed. */
  readonly spare: boolean
  readonly signal: AbortSignal
}

/** A process for the time of one call of the model, which may ask its engine many times. */
export interface EngineSession {
  /** Aborts with the caller's signal, and when the model closes. */
  readonly signal: AbortSignal
  /** As {@link EngineProcess.call}. */
  call(request: unknown): AsyncGenerator<unknown, unknown>
  /** Gives the process back. One that is still running is killed. Further calls do nothing. */
  end(): void
}

/** A model in processes of its own. */
export interface EnginePool {
  /** What the program said about the model. */
  readonly facts: unknown
  /** Number of sessions. */
  readonly busy: number
  readonly parallel: number
  /** Resident memory of the processes, in bytes. */
  readonly memoryBytes: number
  /**
   * Waits for a process. An abort of the signal kills what it runs and frees its place at once.
   *
   * @throws `queue_full` (rate_limited) when too many wait, `model_unloading` (unavailable) when the pool is closing,
   *   SpeechError `unprocessable` when a new process was needed and did not load the model
   */
  begin(options: { readonly signal: AbortSignal }): Promise<EngineSession>
  /** Refuses waiters, ends the calls that run, and frees the memory. */
  close(): Promise<void>
}

/** A place for one process. */
interface Place {
  process: EngineProcess | undefined
  /** The process that will be in this place. */
  loading: Promise<EngineProcess> | undefined
}

/**
 * Loads a model into `parallel` processes. A process that crashed or was killed is replaced at once: by the spare one, or
 * else by a new one.
 *
 * @throws as `startEngineProcess`
 */
export async function openEnginePool(options: EnginePoolOptions): Promise<EnginePool> {
  const { program, parallel, maxWaiting } = options
  const places = await startPlaces(options)
  const facts = places[0]?.process?.facts
  const pool = createSlotPool(places, { maxWaiting })
  const signals = createCallSignals()
  const closing = new AbortController()
  const spare = createSpare(program, closing.signal)
  if (options.spare) spare.prepare()

  const replace = async (place: Place): Promise<EngineProcess> => {
    try {
      place.process = undefined
      place.process = (await spare.take()) ?? (await startEngineProcess(program, closing))
      if (options.spare) spare.prepare()
      return place.process
    } finally {
      place.loading = undefined
    }
  }
  /** The process of a place, which is replaced if it has ended. */
  const fill = (place: Place): Promise<EngineProcess> => {
    if (place.process?.hasEnded === false) return Promise.resolve(place.process)
    place.loading ??= replace(place)
    return place.loading
  }

  return {
    facts,
    parallel,
    get busy() {
      return pool.busy
    },
    get memoryBytes() {
      return places.reduce((sum, { process }) => sum + (process?.memoryBytes ?? 0), spare.memoryBytes)
    },
    begin: async ({ signal: caller }) => {
      const call = signals.begin(caller)
      let release = (): void => {}
      try {
        const lease = await pool.acquire(call)
        release = () => {
          lease.release()
          // Whoever is next finds a process that loads already. Its failure shows there.
          if (!closing.signal.aborted) fill(lease.slot).catch(() => undefined)
        }
        return startSession(await orAbort(fill(lease.slot), call.signal), call, release)
      } catch (error) {
        release()
        call.end()
        throw error
      }
    },
    close: async () => {
      signals.close()
      closing.abort()
      await pool.close()
      await Promise.all([spare.close(), ...places.map(closePlace)])
    },
  }
}

async function closePlace({ process, loading }: Place): Promise<void> {
  await process?.close()
  const late = await loading?.catch(() => undefined)
  await late?.close()
}

function startSession(process: EngineProcess, call: CallSignal, release: () => void): EngineSession {
  let isRunning = false
  let isOver = false
  const end = (): void => {
    if (isOver) return
    isOver = true
    call.signal.removeEventListener('abort', end)
    call.end()
    // The place is free at once; its next holder sees that this process has ended.
    if (isRunning) void process.close()
    release()
  }
  call.signal.addEventListener('abort', end, { once: true })
  if (call.signal.aborted) end()
  return {
    signal: call.signal,
    end,
    async *call(request) {
      call.signal.throwIfAborted()
      isRunning = true
      try {
        return yield* process.call(request, { signal: call.signal })
      } finally {
        isRunning = false
      }
    },
  }
}

async function startPlaces({ program, parallel, signal }: EnginePoolOptions): Promise<readonly Place[]> {
  const started = await Promise.allSettled(
    Array.from({ length: parallel }, () => startEngineProcess(program, { signal })),
  )
  const processes = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const failed = started.find((result) => result.status === 'rejected')
  if (failed === undefined) return processes.map((process) => ({ process, loading: undefined }))
  await Promise.all(processes.map((process) => process.close()))
  throw failed.reason
}

/** At most one process beside those in use. */
interface Spare {
  readonly memoryBytes: number
  /** Starts loading one, unless there is one. A failure shows at the call that needs it. */
  prepare(): void
  /** Takes it, waiting until it is loaded; undefined if there is none. */
  take(): Promise<EngineProcess | undefined>
  close(): Promise<void>
}

function createSpare(program: EngineProgram, signal: AbortSignal): Spare {
  let loading: Promise<EngineProcess | undefined> | undefined
  let loaded: EngineProcess | undefined
  const take = async (): Promise<EngineProcess | undefined> => {
    const taken = loading
    loading = undefined
    loaded = undefined
    const process = await taken
    return process?.hasEnded === true ? undefined : process
  }
  return {
    get memoryBytes() {
      return loaded?.memoryBytes ?? 0
    },
    prepare: () => {
      if (loading !== undefined || signal.aborted) return
      const started = startEngineProcess(program, { signal }).catch(() => undefined)
      loading = started
      void started.then((process) => {
        if (loading === started) loaded = process
      })
    },
    take,
    close: async () => {
      await (await take())?.close()
    },
  }
}
