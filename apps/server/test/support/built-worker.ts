import { spawn } from 'node:child_process'
import { collectLines, eventually, tempDir } from '@svc/test-kit'
import { BUILT_ENTRY, listProcesses, type ProcessEnd, toEnvironment } from './built-server.ts'

/** A worker in its own process, as users run it. */
export interface BuiltWorker extends AsyncDisposable {
  readonly pid: number
  readonly folder: string
  /** Standard output and error so far. */
  output(): string
  /** Resolves with the first line of the log, past or future, that holds a text. */
  logged(text: string): Promise<string>
  /** Lists the ids of its live backend processes and their children; Linux only. */
  backends(): readonly number[]
  readonly exited: Promise<ProcessEnd>
  /** Sends a signal; resolves with the end. */
  end(signal: NodeJS.Signals): Promise<ProcessEnd>
}

/** What may be given to a worker. */
export interface BuiltWorkerOptions {
  /** Of all its files; a given one stays at the end. @default a new one */
  readonly folder?: string | undefined
  /** Another path to the entry. @default the build */
  readonly entry?: string | undefined
}

/** Starts the built `svc worker`. */
export async function startBuiltWorker(
  flags: readonly string[],
  env: Readonly<Record<string, string>>,
  { folder, entry = BUILT_ENTRY }: BuiltWorkerOptions = {},
): Promise<BuiltWorker> {
  const own = folder === undefined ? await tempDir('svc-worker-') : undefined
  const path = folder ?? own?.path ?? ''
  const child = spawn(process.execPath, [entry, 'worker', '--log-format=json', ...flags], {
    cwd: path,
    env: toEnvironment(path, { env }),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // A process of tests that ends early leaves no worker behind; its backends end with it.
  const killNow = (): void => void child.kill('SIGKILL')
  process.once('exit', killNow)
  child.once('exit', () => process.off('exit', killNow))
  const [stdout, stderr] = [collectLines(child.stdout), collectLines(child.stderr)]
  const exited = new Promise<ProcessEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const output = (): string => [...stdout.lines, ...stderr.lines].join('\n')
  const killAll = (): number => {
    const pids = listProcesses(path)
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // it has ended meanwhile
      }
    }
    return pids.length
  }
  return {
    pid: child.pid ?? 0,
    folder: path,
    output,
    async logged(text) {
      try {
        return await stdout.waitFor(text)
      } catch (cause) {
        throw new Error(`the worker did not log it:\n${output()}`, { cause })
      }
    },
    backends: () => listProcesses(path).filter((pid) => pid !== child.pid),
    exited,
    end(signal) {
      child.kill(signal)
      return exited
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await exited
      if (own === undefined) return
      await eventually(() => {
        if (killAll() > 0) throw new Error('processes are still ending')
      })
      await own.close()
    },
  }
}
