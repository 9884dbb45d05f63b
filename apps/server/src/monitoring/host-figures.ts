import { readdir, stat, statfs } from 'node:fs/promises'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'

/** Use of the host's processors. */
export interface ProcessorFigures {
  readonly logicalCores: number
  /** Used share of their time since the previous call, in 0..100; undefined on the first one. */
  readonly usagePercent: number | undefined
  readonly load1: number
}

/** Space of a file system, in bytes. */
export interface DiskFigures {
  readonly total: number
  readonly used: number
  /** Free for an ordinary user. */
  readonly available: number
}

/** Creates a reader of the processors; it keeps its figures for the next call. */
export function createProcessorFigures(): { read(): ProcessorFigures } {
  let previous: { readonly busy: number; readonly all: number } | undefined
  return {
    read() {
      const processors = cpus()
      const all = sum(processors.flatMap(({ times }) => Object.values(times)))
      const busy = all - sum(processors.map(({ times }) => times.idle))
      const before = previous
      previous = { busy, all }
      const passed = before === undefined ? 0 : all - before.all
      return {
        logicalCores: Math.max(1, processors.length),
        usagePercent:
          before === undefined || passed <= 0 ? undefined : clampPercent(((busy - before.busy) / passed) * 100),
        load1: loadavg()[0] ?? 0,
      }
    },
  }
}

/** Reads the file system of a folder; undefined when unreadable. */
export async function readDisk(folder: string): Promise<DiskFigures | undefined> {
  try {
    const { blocks, bfree, bavail, bsize } = await statfs(folder)
    return { total: blocks * bsize, used: (blocks - bfree) * bsize, available: bavail * bsize }
  } catch {
    return undefined
  }
}

/** Sums the bytes of the files at the top of a folder; unreadable ones count 0. */
export async function measureFiles(folder: string): Promise<number> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  let total = 0
  for (const entry of entries) {
    if (entry.isFile()) total += (await stat(join(folder, entry.name)).catch(() => undefined))?.size ?? 0
  }
  return total
}

/** Limits a percentage to its range, whatever the counters give. */
export function clampPercent(value: number): number {
  return Math.min(100, Math.max(0, value))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
