import { execFile } from 'node:child_process'
import { readFile, readlink } from 'node:fs/promises'
import { hostname } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Identifies a process, even among later ones with the same number. */
export interface ProcessIdentity {
  readonly pid: number
  /** Time of its start, in the system's words. */
  readonly start: string
  /** Boot of its machine; undefined on systems without such an id. */
  readonly boot: string | undefined
  /** Process namespace of its number: containers have their own. */
  readonly namespace: string | undefined
  readonly host: string
}

/**
 * Parses state and start of a Linux process from its `stat` line, whose second field may hold spaces and parentheses.
 */
export function parseProcStat(line: string): { readonly state: string; readonly start: string } | undefined {
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ')
  const [state] = fields
  const start = fields[19]
  return state === undefined || start === undefined || start === '' ? undefined : { state, start }
}

async function readPsStart(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await run('ps', ['-o', 'lstart=', '-p', String(pid)], {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
    })
    return stdout.trim() === '' ? undefined : stdout.trim()
  } catch {
    return undefined
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

/** Gives the start of a process; undefined when there is none of this number, or it has ended as a zombie. */
export async function readProcessStart(pid: number): Promise<string | undefined> {
  if (process.platform === 'linux') {
    const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
    const found = parseProcStat(line)
    return found === undefined || found.state === 'Z' || found.state === 'X' ? undefined : found.start
  }
  if (!isRunning(pid)) return undefined
  return process.platform === 'win32' ? 'running' : readPsStart(pid)
}

/** Identifies this process. */
export async function readOwnIdentity(): Promise<ProcessIdentity> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => undefined)
  const namespace = await readlink('/proc/self/ns/pid').catch(() => undefined)
  return {
    pid: process.pid,
    start: (await readProcessStart(process.pid)) ?? '',
    boot: boot?.trim(),
    namespace,
    host: hostname(),
  }
}

/**
 * Whether a process still runs: `unknown` for one of another machine, container or boot.
 *
 * @param own the asking process
 */
export async function readState(other: ProcessIdentity, own: ProcessIdentity): Promise<'running' | 'gone' | 'unknown'> {
  if (other.boot !== own.boot || other.namespace !== own.namespace) return 'unknown'
  if (own.boot === undefined && other.host !== own.host) return 'unknown'
  return (await readProcessStart(other.pid)) === other.start ? 'running' : 'gone'
}
