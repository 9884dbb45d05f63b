import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { readCpuSecondsFromStart } from './processes.ts'

/** A program that is started and stopped again. */
export interface StartedProgram {
  readonly command?: string | undefined
  readonly args: readonly string[]
  readonly url: string
  /** The path that answers 200 once the program is ready. */
  readonly ready: string
  readonly env?: NodeJS.ProcessEnv | undefined
}

/** Times of a start, milliseconds. */
export interface StartTimes {
  readonly wallMs: number
  /** Processor time from spawn to readiness, user and system. */
  readonly cpuMs: number
  /** What `ask` took; absent without it. */
  readonly askedMs?: number | undefined
}

/** Milliseconds between two looks. */
const LOOK_MS = 2
const READY_MS = 90_000

/**
 * Measures a start from spawn to readiness, on processor 0, and stops the program again.
 *
 * @param options.ask measured as well, once the program is ready
 * @throws {Error} where it ends or is not ready within 90 s
 */
export async function timeStart(
  program: StartedProgram,
  options: { readonly ask?: () => Promise<void>; readonly signal?: AbortSignal | undefined } = {},
): Promise<StartTimes> {
  const { command = process.execPath, args, url, ready, env } = program
  const begun = performance.now()
  const child = spawn('taskset', ['-c', '0', command, ...args], { stdio: 'ignore', env: { ...process.env, ...env } })
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow)
  try {
    while (!(await isReady(`${url}${ready}`))) {
      options.signal?.throwIfAborted()
      if (child.exitCode !== null) throw new Error(`ended before it was ready: ${args.join(' ')}`)
      if (performance.now() - begun > READY_MS)
        throw new Error(`not ready within ${READY_MS / 1000} s: ${args.join(' ')}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    const wallMs = performance.now() - begun
    const cpuMs = readCpuSecondsFromStart(child.pid ?? 0) * 1000
    if (options.ask === undefined) return { wallMs, cpuMs }
    const asked = performance.now()
    await options.ask()
    return { wallMs, cpuMs, askedMs: performance.now() - asked }
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    process.off('exit', killNow)
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (reply) => {
      reply.resume().once('end', () => resolve(reply.statusCode === 200))
    }).once('error', () => resolve(false))
  })
}
