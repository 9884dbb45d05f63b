import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'

/** Cores of a `/proc/cpuinfo` text without their second threads; undefined where it does not tell. */
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
 * Threads of a model that says nothing, at least 1: the physical cores this process may use, less one. Engine threads
 * wait for each other by spinning: with one for every core, anything else that runs makes them crawl.
 */
export function defaultThreads(): number {
  const available = availableParallelism()
  return Math.max(1, Math.min(countPhysicalCores(readCpuInfo()) ?? available, available) - 1)
}
