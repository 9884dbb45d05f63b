import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'

/** A program that is started and stopped again. */
export interface StartedProgram {
  readonly command?: string | undefined
  readonly args: readonly string[]
  readonly url: string
  /** The path that answers 200 once the program is ready. */
  readonly ready: string
  readonly env?: NodeJS.ProcessEnv | undefined
}

/** Milliseconds between two looks. */
const LOOK_MS = 2

/** Measures the time from spawn to readiness, in milliseconds, on processor 0. */
export async function timeStart(program: StartedProgram): Promise<number> {
  const { command = process.execPath, args, url, ready, env } = program
  const begun = performance.now()
  const child = spawn('taskset', ['-c', '0', command, ...args], { stdio: 'ignore', env: { ...process.env, ...env } })
  try {
    while (!(await isReady(`${url}${ready}`))) {
      if (child.exitCode !== null) throw new Error(`ended before it was ready: ${args.join(' ')}`)
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
    }
    return performance.now() - begun
  } finally {
    child.kill('SIGTERM')
    if (child.exitCode === null) await once(child, 'exit')
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(url, { agent: false }, (reply) => {
      reply.resume().once('end', () => resolve(reply.statusCode === 200))
    }).once('error', () => resolve(false))
  })
}
