import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'

const TICKS_PER_SECOND = 100
const READY_MS = 90_000
const ASK_MS = 5000
/** A worker that ends waits up to 35 s for running requests. */
const END_MS = 45_000

/** A program under measurement. */
export interface Measured {
  readonly pid: number
  readonly url: string
  /** CPU seconds used so far, user and system. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/** Finds a port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer()
    probe.once('error', reject)
    probe.listen(0, '127.0.0.1', () => {
      const bound = probe.address()
      const port = typeof bound === 'object' && bound !== null ? bound.port : 0
      probe.close(() => resolve(port))
    })
  })
}

/**
 * Reads the CPU seconds of a process from the scheduler's accounting of its threads in nanoseconds; where the kernel
 * has none, from its count of clock ticks.
 */
export function readCpuSeconds(pid: number): number {
  try {
    const threads = readdirSync(`/proc/${pid}/task`)
    const nanoseconds = threads.map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')[0]),
    )
    return nanoseconds.reduce((sum, value) => sum + value, 0) / 1e9
  } catch {
    return readCpuTicks(pid) / TICKS_PER_SECOND
  }
}

/**
 * Reads all CPU seconds of a process since its start: with those of threads that have ended, which only the count of
 * clock ticks holds. Differences of two figures are {@link readCpuSeconds}' part, which is finer.
 */
export function readCpuSecondsFromStart(pid: number): number {
  return Math.max(readCpuSeconds(pid), readCpuTicks(pid) / TICKS_PER_SECOND)
}

/** Clock ticks of user and system time. */
function readCpuTicks(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  return Number(fields[11]) + Number(fields[12])
}

/**
 * Starts a Node program, or the named command, optionally pinned to a processor, and waits until it answers. It ends
 * with this process, whatever ends that.
 *
 * @throws {Error} where it ends or is not ready within 90 s
 */
export async function startMeasured(options: {
  readonly cpu?: number | undefined
  readonly command?: string | undefined
  readonly args: readonly string[]
  readonly url: string
  readonly ready: string
  readonly env?: NodeJS.ProcessEnv | undefined
  /** Ends the wait, and the program with it. */
  readonly signal?: AbortSignal | undefined
}): Promise<Measured> {
  const pinning = options.cpu === undefined ? [] : ['taskset', '-c', String(options.cpu)]
  const [command = process.execPath, ...args] = [...pinning, options.command ?? process.execPath, ...options.args]
  const child: ChildProcess = spawn(command, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, ...options.env },
  })
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow)
  const exited = new Promise<void>((resolve) => {
    child.once('error', () => resolve())
    child.once('exit', () => resolve())
  }).then(() => void process.off('exit', killNow))
  const { pid } = child
  if (pid === undefined) throw new Error(`${command} did not start`)
  try {
    await waitUntilReady(child, options)
  } catch (error) {
    killNow()
    await exited
    throw error
  }
  return {
    pid,
    url: options.url,
    cpuSeconds: () => readCpuSeconds(pid),
    async stop() {
      const timer = setTimeout(killNow, END_MS)
      child.kill('SIGTERM')
      await exited
      clearTimeout(timer)
    },
  }
}

async function waitUntilReady(
  child: ChildProcess,
  { args, url, ready, signal }: Pick<Parameters<typeof startMeasured>[0], 'args' | 'url' | 'ready' | 'signal'>,
): Promise<void> {
  const until = performance.now() + READY_MS
  const program = args.join(' ')
  for (;;) {
    const reply = await fetch(`${url}${ready}`, { signal: AbortSignal.timeout(ASK_MS) }).catch(() => undefined)
    await reply?.body?.cancel()
    if (reply?.ok) return
    signal?.throwIfAborted()
    const { exitCode, signalCode } = child
    if (exitCode !== null || signalCode !== null) throw new Error(`it ended with ${exitCode ?? signalCode}: ${program}`)
    if (performance.now() > until) throw new Error(`not ready within ${READY_MS / 1000} s: ${program}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
