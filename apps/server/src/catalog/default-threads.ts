import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Counts the cores in the text of `/proc/cpuinfo` without their second threads; undefined when it lacks them. */
export function countPhysicalCores(cpuInfo: string): number | undefined {
  const cores = new Set<string>()
  for (const block of cpuInfo.split(/\n\s*\n/)) {
    const field = (name: string): string | undefined => new RegExp(`^${name}\\s*:\\s*(\\d+)`, 'm').exec(block)?.[1]
    const core = field('core id')
    if (core !== undefined) cores.add(`${field('physical id') ?? '0'}/${core}`)
  }
  return cores.size > 0 ? cores.size : undefined
}

function readCpuInfo(): string {
  try {
    return readFileSync('/proc/cpuinfo', 'utf8')
  } catch {
    return ''
  }
}

/**
 * Default number of threads, at least 1: the physical cores that this process may use, minus one. Engine threads spin
 * while they wait; with one thread for every core any other work slows them down greatly.
 */
export function countDefaultThreads(): number {
  const available = availableParallelism()
  return Math.max(1, Math.min(countPhysicalCores(readCpuInfo()) ?? available, available) - 1)
}
