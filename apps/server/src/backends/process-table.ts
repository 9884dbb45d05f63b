import { readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'

/** Entries that are read in one turn: about a millisecond. */
const READ_AT_ONCE = 32

/** The parts of `/proc/<pid>/stat` that this server reads. */
export interface ProcessStat {
  readonly pid: number
  /** One letter; `Z` is an ended process whose parent has not waited for it. */
  readonly state: string
  readonly parentPid: number
  readonly groupId: number
  readonly sessionId: number
  /** CPU time of the process and of the children it has waited for, in clock ticks. */
  readonly cpuTicks: number
  /** Clock ticks since boot. With the pid it identifies one process until the next boot. */
  readonly startTicks: number
}

/** A snapshot of all processes. */
export interface ProcessTable {
  get(pid: number): ProcessStat | undefined
  /** Lists the live members of a process group, including its leader. */
  group(groupId: number): readonly ProcessStat[]
  /** Lists the process, its group and all their descendants; empty when the process is gone. */
  family(pid: number): readonly ProcessStat[]
}

/**
 * Parses the text of `/proc/<pid>/stat`; undefined for other text.
 *
 * The program name is in parentheses and may hold spaces and parentheses itself, so fields count from the last
 * parenthesis.
 */
export function parseProcessStat(text: string): ProcessStat | undefined {
  const nameEnd = text.lastIndexOf(')')
  const pid = Number.parseInt(text, 10)
  const fields = text.slice(nameEnd + 2).split(' ')
  const state = fields[0]
  if (nameEnd < 0 || !Number.isSafeInteger(pid) || state === undefined || fields.length < 20) return undefined
  const number = (index: number) => Number(fields[index])
  const stat = {
    pid,
    state,
    parentPid: number(1),
    groupId: number(2),
    sessionId: number(3),
    cpuTicks: number(11) + number(12) + number(13) + number(14),
    startTicks: number(19),
  }
  return Number.isFinite(stat.parentPid + stat.groupId + stat.cpuTicks + stat.startTicks) ? stat : undefined
}

/** Reads the entry of one process; undefined when it is gone, unreadable, or the system has no `/proc`. */
export function readProcessStat(pid: number, root = '/proc'): ProcessStat | undefined {
  try {
    return parseProcessStat(readFileSync(join(root, String(pid), 'stat'), 'latin1'))
  } catch {
    return undefined
  }
}

/** Reads the whole table; undefined when there is none (not Linux) or it cannot be listed. */
export async function readProcessTable(root = '/proc'): Promise<ProcessTable | undefined> {
  const names = await readdir(root).catch(() => undefined)
  if (names === undefined) return undefined
  const processes = new Map<number, ProcessStat>()
  const pids = names.filter((name) => /^[1-9]\d{0,9}$/.test(name)).map(Number)
  for (const [index, pid] of pids.entries()) {
    // entries are in memory: the way through another thread takes ten times as long as the reading
    const stat = readProcessStat(pid, root)
    if (stat !== undefined) processes.set(stat.pid, stat)
    if (index % READ_AT_ONCE === READ_AT_ONCE - 1) await setImmediate()
  }
  return processes.size === 0 ? undefined : toTable(processes)
}

function toTable(processes: ReadonlyMap<number, ProcessStat>): ProcessTable {
  const group = (groupId: number) =>
    [...processes.values()].filter((stat) => stat.groupId === groupId && stat.state !== 'Z')
  return {
    get: (pid) => processes.get(pid),
    group,
    family(pid) {
      const leader = processes.get(pid)
      if (leader === undefined || leader.state === 'Z') return []
      const members = new Map([leader, ...group(pid)].map((stat) => [stat.pid, stat]))
      // A Map also visits entries that are added during the loop, so this reaches children of children.
      for (const parentPid of members.keys()) {
        for (const stat of processes.values()) {
          if (stat.parentPid === parentPid && stat.state !== 'Z') members.set(stat.pid, stat)
        }
      }
      return [...members.values()]
    },
  }
}
