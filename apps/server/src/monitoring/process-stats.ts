import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type ProcessStat, type ProcessTable, readProcessTable } from '../backends/process-table.ts'
import type { Clock } from '../ports.ts'

/** Clock ticks in each second that Linux shows to programs, for any kernel. */
const TICKS_PER_SECOND = 100
/** Maximum number of processes whose last CPU reading is kept. */
const MAX_SAMPLES = 1024

/** Figures of a backend: its process, its group and their descendants together (§2.8). */
export interface ProcessFigures {
  /** The leader of the group. */
  readonly pid: number
  readonly rssBytes: number
  /** Address space, most of which may be unused. */
  readonly virtualBytes: number
  /** Share of the host's memory, in 0..100. */
  readonly memoryPercent: number
  /** Share of all CPUs of the host since the previous reading, in 0..100; absent on the first one. */
  readonly cpuPercent?: number | undefined
  /** Start of the leader, RFC 3339. */
  readonly startedAt: string
}

/** Reads figures of processes; keeps the samples for CPU shares. */
export interface ProcessStats {
  /** Reads the figures of a process; undefined when it is gone, unreadable, or the system has no `/proc`. */
  read(pid: number): Promise<ProcessFigures | undefined>
}

interface CpuSample {
  readonly startTicks: number
  readonly cpuTicks: number
  /** Monotonic milliseconds. */
  readonly takenAt: number
}

interface HostFacts {
  readonly bootSeconds: number
  readonly cpuCount: number
  readonly memoryBytes: number
}

/** @param options.root mount of the process file system. @default '/proc' */
export function createProcessStats(options: {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly root?: string | undefined
}): ProcessStats {
  const root = options.root ?? '/proc'
  const samples = new Map<number, CpuSample>()
  let tableReading: Promise<ProcessTable | undefined> | undefined

  /** Overlapping readings share one walk through all processes. */
  const readTable = () => {
    tableReading ??= readProcessTable(root).finally(() => {
      tableReading = undefined
    })
    return tableReading
  }
  const cpuShare = (leader: ProcessStat, cpuTicks: number, cpuCount: number): number | undefined => {
    const takenAt = options.clock.monotonic()
    const last = samples.get(leader.pid)
    samples.delete(leader.pid)
    samples.set(leader.pid, { startTicks: leader.startTicks, cpuTicks, takenAt })
    for (const oldest of samples.keys()) {
      if (samples.size <= MAX_SAMPLES) break
      samples.delete(oldest)
    }
    if (last?.startTicks !== leader.startTicks || takenAt <= last.takenAt) return undefined
    const busySeconds = (cpuTicks - last.cpuTicks) / TICKS_PER_SECOND
    const share = (busySeconds / ((takenAt - last.takenAt) / 1000) / cpuCount) * 100
    // An ended helper takes its time along, and ticks are coarse, so the share is limited to its range.
    return Math.min(100, Math.max(0, share))
  }

  return {
    async read(pid) {
      const [host, table] = await Promise.all([readHost(root), readTable()])
      const family = table?.family(pid) ?? []
      const leader = family.find((member) => member.pid === pid)
      if (host === undefined || leader === undefined) return undefined
      const memory = await readMemory(family, root)
      if (memory === undefined) return undefined
      const { rssBytes, virtualBytes } = memory
      const cpuTicks = family.reduce((sum, member) => sum + member.cpuTicks, 0)
      const cpuPercent = cpuShare(leader, cpuTicks, host.cpuCount)
      const startedAtMs = (host.bootSeconds + leader.startTicks / TICKS_PER_SECOND) * 1000
      return {
        pid,
        rssBytes,
        virtualBytes,
        memoryPercent: (rssBytes / host.memoryBytes) * 100,
        ...(cpuPercent === undefined ? {} : { cpuPercent }),
        startedAt: new Date(startedAtMs).toISOString(),
      }
    },
  }
}

async function readHost(root: string): Promise<HostFacts | undefined> {
  const [stat, memory] = await Promise.all(
    ['stat', 'meminfo'].map((name) => readFile(join(root, name), 'latin1').catch(() => '')),
  )
  const bootSeconds = Number(/^btime (\d+)$/m.exec(stat ?? '')?.[1])
  const cpuCount = stat?.match(/^cpu\d+ /gm)?.length ?? 0
  const memoryBytes = Number(/^MemTotal: +(\d+) kB$/m.exec(memory ?? '')?.[1]) * 1024
  if (!(bootSeconds > 0) || !(memoryBytes > 0) || cpuCount === 0) return undefined
  return { bootSeconds, cpuCount, memoryBytes }
}

/**
 * Sums the memory of the family; a process that ended meanwhile adds nothing. Undefined when the leader is unreadable.
 */
async function readMemory(
  family: readonly ProcessStat[],
  root: string,
): Promise<Pick<ProcessFigures, 'rssBytes' | 'virtualBytes'> | undefined> {
  let rssBytes = 0
  let virtualBytes = 0
  for (const [index, { pid }] of family.entries()) {
    const status = await readFile(join(root, String(pid), 'status'), 'latin1').catch(() => undefined)
    if (status === undefined && index === 0) return undefined
    rssBytes += readKib(status, 'VmRSS') * 1024
    virtualBytes += readKib(status, 'VmSize') * 1024
  }
  return { rssBytes, virtualBytes }
}

function readKib(status: string | undefined, name: 'VmRSS' | 'VmSize'): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status ?? '')?.[1] ?? 0)
}
