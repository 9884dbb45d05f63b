import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { SvcError } from '@svc/errors'
import type { Clock } from '../ports.ts'
import { createLogStream, type LogLine, type LogRing } from './log-ring.ts'
import { cutToBytes } from './log-text.ts'
import { readProcessStat, readProcessTable } from './process-table.ts'
import { settlesWithin } from './settles-within.ts'

/** Time that output may arrive after the process ended: a stray grandchild can keep the pipes open. */
const OUTPUT_DRAIN_MS = 250
/** Time that a killed process may take to be gone. */
const KILL_WAIT_MS = 2000
const TAIL_LINES = 20
const TAIL_BYTES = 4096
/** Rounds of killing the rest of a group, against members that fork meanwhile. */
const GROUP_KILL_ROUNDS = 5
const ADDRESS_IN_USE = /address (?:is )?(?:already )?in use|EADDRINUSE|failed to bind/i
const RESOURCE_ERRORS: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'])

/** The end of a backend process. */
export interface ExitReport {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  /** The last lines of its standard error, oldest first, at most 20 and 4096 bytes. */
  readonly lastLines: readonly string[]
}

/** Options of {@link startProcess}. */
export interface ProcessOptions {
  readonly name: string
  readonly command: string
  readonly args: readonly string[]
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
  readonly ring: LogRing
  readonly clock: Clock
  /** For a program that is spoken to over its input and output: its output goes there and not into the ring. */
  readonly pipes?: { readonly onOutput: (chunk: Uint8Array) => void } | undefined
}

/** A running backend process: leader of its own process group, child of this server. */
export interface BackendProcess {
  readonly pid: number
  /** Clock ticks since boot; undefined without `/proc`. */
  readonly startTicks: number | undefined
  /** Resolves once the process is gone, its output is read and the rest of its group is killed. */
  readonly exited: Promise<ExitReport>
  /** The standard input; undefined without {@link ProcessOptions.pipes}. */
  readonly input: Writable | undefined
  /** Whether it has ended; true before {@link BackendProcess.exited} resolves. */
  hasExited(): boolean
  /** Whether it reported that its address is in use. */
  saidAddressInUse(): boolean
  /** Sends TERM to the group, then KILL after `graceMs`. A second call may shorten the time. */
  terminate(options: { readonly graceMs: number }): Promise<void>
  /** Sends KILL to the group synchronously, for the exit of this server. */
  killNow(): void
  /** Makes log lines of output that waits for the budget. */
  flushLogs(): void
}

/**
 * Starts a program without a shell, in its own process group, with exactly the given environment.
 *
 * @throws SvcError `process_limit` (unavailable) when the machine cannot start another process, `backend_start_failed`
 *   (internal) when the program cannot be run
 */
export async function startProcess(options: ProcessOptions): Promise<BackendProcess> {
  const child = launch(options)
  const ended = new Promise<Pick<ExitReport, 'code' | 'signal'>>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }))
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve)
    // Stays for the life of the child: a later failure to signal it must not crash the server.
    child.on('error', (error) => reject(toStartError(options.name, error)))
  })
  const { pid, stdout, stderr } = child
  if (pid === undefined || stdout === null || stderr === null) throw toStartError(options.name, undefined)
  return superviseChild({ ...options, child, pid, stdout, stderr, ended, closed })
}

function launch(options: ProcessOptions): ChildProcess {
  try {
    return spawn(options.command, [...options.args], {
      cwd: options.cwd,
      env: { ...options.env },
      detached: true,
      shell: false,
      stdio: [options.pipes === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      windowsHide: true,
    })
  } catch (error) {
    throw toStartError(options.name, error)
  }
}

/**
 * Converts the error of a failed start: a temporary refusal when the machine cannot start another process, else a
 * failure.
 */
export function toStartError(name: string, cause: unknown): SvcError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  if (code !== undefined && RESOURCE_ERRORS.has(code)) {
    const message = 'no room for another process; retry shortly'
    return new SvcError('unavailable', message, { code: 'process_limit', retryAfterMs: 1000, cause })
  }
  const reason = code === undefined ? '' : ` (${code})`
  return new SvcError('internal', `backend "${name}" cannot be started${reason}`, {
    code: 'backend_start_failed',
    cause,
  })
}

interface Supervised extends ProcessOptions {
  readonly child: ChildProcess
  readonly pid: number
  readonly stdout: Readable
  readonly stderr: Readable
  readonly ended: Promise<Pick<ExitReport, 'code' | 'signal'>>
  readonly closed: Promise<void>
}

function superviseChild({ child, pid, stdout, stderr, ended, closed, ring, clock, pipes }: Supervised): BackendProcess {
  const startTicks = readProcessStat(pid)?.startTicks
  const output = captureOutput({ stdout, stderr, ring, clock, pipes })
  // A program that has closed its input is noticed by its end.
  child.stdin?.on('error', () => undefined)

  /** Signals the group if its leader is still the started process, because pids are reused. */
  const signalGroup = (signal: NodeJS.Signals) => {
    if (hasEnded(child)) return
    const now = readProcessStat(pid)?.startTicks
    if (now !== undefined && startTicks !== undefined && now !== startTicks) return
    killGroup(pid, signal)
  }
  const finish = async (): Promise<ExitReport> => {
    const { code, signal } = await ended
    await killRestOfGroup(pid, startTicks)
    await settlesWithin(closed, OUTPUT_DRAIN_MS, clock)
    stdout.destroy()
    stderr.destroy()
    return { code, signal, lastLines: output.end() }
  }
  const exited = finish()

  return {
    pid,
    startTicks,
    exited,
    input: child.stdin ?? undefined,
    hasExited: () => hasEnded(child),
    saidAddressInUse: output.saidAddressInUse,
    async terminate({ graceMs }) {
      signalGroup('SIGTERM')
      if (await settlesWithin(exited, graceMs, clock)) return
      signalGroup('SIGKILL')
      await settlesWithin(exited, KILL_WAIT_MS, clock)
    },
    killNow: () => signalGroup('SIGKILL'),
    flushLogs: output.flush,
  }
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null
}

function killGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal)
  } catch {
    // ESRCH: no process left. EPERM: the members changed their user, so the server may not signal them.
  }
}

/** Whether a process group exists; the table of all processes takes much longer to read. */
function hasMembers(groupId: number): boolean {
  try {
    process.kill(-groupId, 0)
    return true
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ESRCH')
  }
}

/**
 * Kills the members that a dead leader left behind. No new group can get the number while a member lives. A member of
 * ours is in the same session and no older than the leader was.
 */
async function killRestOfGroup(groupId: number, startTicks: number | undefined): Promise<void> {
  for (let round = 0; round < GROUP_KILL_ROUNDS && hasMembers(groupId); round++) {
    const table = startTicks === undefined ? undefined : await readProcessTable()
    if (table === undefined || startTicks === undefined) {
      killGroup(groupId, 'SIGKILL')
      return
    }
    const isReused = (table.get(groupId)?.startTicks ?? startTicks) !== startTicks
    const rest = table.group(groupId).filter((stat) => stat.sessionId === groupId && stat.startTicks >= startTicks)
    if (isReused || rest.length === 0) return
    killGroup(groupId, 'SIGKILL')
  }
}

interface CapturedOutput {
  saidAddressInUse(): boolean
  flush(): void
  /** Ends both streams and returns the last lines of standard error. */
  end(): readonly string[]
}

/** Reads both pipes as long as they are open, even if the lines are dropped. */
function captureOutput(options: {
  readonly stdout: Readable
  readonly stderr: Readable
  readonly ring: LogRing
  readonly clock: Clock
  readonly pipes: ProcessOptions['pipes']
}): CapturedOutput {
  let isAddressInUse = false
  const tail: string[] = []
  const onLine = (line: LogLine) => {
    options.ring.append(line)
    if (ADDRESS_IN_USE.test(line.text)) isAddressInUse = true
    if (line.stream !== 'stderr' || line.text.trim() === '') return
    tail.push(cutToBytes(line.text, TAIL_BYTES))
    if (tail.length > TAIL_LINES) tail.shift()
  }
  const streams = (['stdout', 'stderr'] as const).map((stream) => {
    const lines = createLogStream({ stream, clock: options.clock, onLine })
    const onOutput = stream === 'stdout' ? options.pipes?.onOutput : undefined
    options[stream].on('data', onOutput ?? ((chunk: Uint8Array) => lines.write(chunk)))
    options[stream].on('error', () => undefined)
    return lines
  })
  const each = (act: (stream: (typeof streams)[number]) => void) => {
    for (const stream of streams) act(stream)
  }
  return {
    saidAddressInUse: () => isAddressInUse,
    flush: () => each((stream) => stream.flush()),
    end() {
      each((stream) => stream.end())
      return newestWithin(tail, TAIL_BYTES)
    },
  }
}

function newestWithin(lines: readonly string[], maxBytes: number): readonly string[] {
  let first = lines.length
  let bytes = 0
  while (first > 0) {
    bytes += Buffer.byteLength(lines[first - 1] ?? '')
    if (bytes > maxBytes && first < lines.length) break
    first--
  }
  return lines.slice(first)
}
