import { execFile } from 'node:child_process'
import { access, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { MemoryBudget } from '../config/memory-budget.ts'
import type { Clock } from '../ports.ts'
import type { MemoryReading } from '../residency/watchdog.ts'

const run = promisify(execFile)

/** Time for which an answer of the driver's tool is reused; each call starts a process. */
const TOOL_INTERVAL_MS = 5000
const TOOL_TIMEOUT_MS = 2000
const MIB = 1024 ** 2

/** A memory and its used part. */
export interface Memory {
  readonly usedBytes: number
  readonly totalBytes: number
}

/** The memory of one graphics device. */
export interface DeviceMemory extends Memory {
  readonly vendor: 'amd' | 'nvidia'
  /** Name by the driver; empty when it gives none. */
  readonly name: string
  /** Its bus address, when known. */
  readonly bdf?: string | undefined
}

/** Measures the memory that models take. */
export interface MemoryPressure {
  /**
   * Gives the graphics memory of all devices together when one is known, else main memory; undefined when neither is
   * known.
   */
  read(): Promise<MemoryReading | undefined>
  /** Lists devices whose memory is known, each with the part of its memory that the budget leaves. */
  devices(): Promise<readonly DeviceMemory[]>
  /** Gives the memory of the machine, or of the container if that has less; undefined when unreadable. */
  main(): Promise<Memory | undefined>
}

/**
 * @param options.root folder that `/proc`, `/sys` and `/dev` are in. @default '/'
 * @param options.queryTool prints name, bus address, total and used MiB of each device, one on a line; the first two
 *   may be missing. @default nvidia-smi
 */
export function createMemoryPressure(options: {
  readonly clock: Pick<Clock, 'monotonic'>
  /** The part of graphics memory that models may take. @default all */
  readonly budget?: (() => MemoryBudget | undefined) | undefined
  readonly root?: string | undefined
  readonly queryTool?: (() => Promise<string>) | undefined
}): MemoryPressure {
  const root = options.root ?? '/'
  const queryTool = options.queryTool ?? queryNvidia
  let answer: { readonly at: number; readonly devices: readonly DeviceMemory[] } | undefined

  const toolDevices = async (): Promise<readonly DeviceMemory[]> => {
    const now = options.clock.monotonic()
    if (answer !== undefined && now - answer.at < TOOL_INTERVAL_MS) return answer.devices
    const hasDriver = await access(join(root, 'dev/nvidiactl')).then(
      () => true,
      () => false,
    )
    const devices = hasDriver ? parseDevices(await queryTool().catch(() => '')) : []
    answer = { at: now, devices }
    return devices
  }
  const readDevices = async (): Promise<readonly DeviceMemory[]> => {
    const devices = [...(await readAmdDevices(root)), ...(await toolDevices())]
    const budget = options.budget?.()
    return budget === undefined ? devices : capDevices(devices, budget)
  }
  return {
    devices: readDevices,
    main: () => readMainMemory(root),
    async read() {
      const devices = await readDevices()
      if (devices.length > 0) return { kind: 'gpu', usedShare: toShareOfBudget(sum(devices)) }
      const memory = await readMainMemory(root)
      return memory && { kind: 'ram', usedShare: toShare(memory) }
    },
  }
}

async function queryNvidia(): Promise<string> {
  const args = ['--query-gpu=name,pci.bus_id,memory.total,memory.used', '--format=csv,noheader,nounits']
  const { stdout } = await run('nvidia-smi', args, { timeout: TOOL_TIMEOUT_MS, maxBuffer: 65_536 })
  return stdout
}

/** Parses one device on each line; devices that share main memory print no figures and do not count. */
function parseDevices(text: string): DeviceMemory[] {
  return text.split('\n').flatMap((line): DeviceMemory[] => {
    const parts = line.split(',').map((part) => part.trim())
    const [total, used] = parts.slice(-2).map((part) => (part === '' ? Number.NaN : Number(part)))
    if (total === undefined || used === undefined || !(total > 0) || !(used >= 0)) return []
    const [name = '', bdf] = parts.slice(0, -2)
    return [{ vendor: 'nvidia', name, bdf, totalBytes: total * MIB, usedBytes: used * MIB }]
  })
}

async function readAmdDevices(root: string): Promise<DeviceMemory[]> {
  const folder = join(root, 'sys/class/drm')
  const cards = (await readdir(folder).catch(() => [])).filter((name) => /^card\d+$/.test(name))
  const devices = await Promise.all(
    cards.map(async (card): Promise<DeviceMemory[]> => {
      const [totalBytes, usedBytes] = await Promise.all(
        ['total', 'used'].map((word) => readNumber(join(folder, card, 'device', `mem_info_vram_${word}`))),
      )
      return totalBytes === undefined || usedBytes === undefined || totalBytes === 0
        ? []
        : [{ vendor: 'amd', name: card, totalBytes, usedBytes }]
    }),
  )
  return devices.flat()
}

/** Reads the memory of the machine, or of the container if that has less. */
async function readMainMemory(root: string): Promise<Memory | undefined> {
  const text = await readFile(join(root, 'proc/meminfo'), 'latin1').catch(() => '')
  const readKib = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024
  const totalBytes = readKib('MemTotal')
  if (!(totalBytes > 0)) return undefined
  const available = readKib('MemAvailable')
  const host = { totalBytes, usedBytes: totalBytes - (Number.isNaN(available) ? readKib('MemFree') : available) }
  const limited = await readControlGroup(root, totalBytes)
  return limited ?? host
}

/** Reads limit and use of this process's control group; undefined when no group has a lower limit than the machine. */
async function readControlGroup(root: string, hostBytes: number): Promise<Memory | undefined> {
  const groups = await readFile(join(root, 'proc/self/cgroup'), 'latin1').catch(() => '')
  const second = /^0::(\/.*)$/m.exec(groups)?.[1]
  const first = /^\d+:(?:[^:]*,)?memory(?:,[^:]*)?:(\/.*)$/m.exec(groups)?.[1]
  const found = [
    ...(await readLevels(join(root, 'sys/fs/cgroup'), second, ['memory.max', 'memory.current', 'inactive_file'])),
    ...(await readLevels(join(root, 'sys/fs/cgroup/memory'), first, [
      'memory.limit_in_bytes',
      'memory.usage_in_bytes',
      'total_inactive_file',
    ])),
  ].filter(({ totalBytes }) => totalBytes < hostBytes)
  // the tightest one: the one with the least free memory
  return found.sort((left, right) => left.totalBytes - left.usedBytes - (right.totalBytes - right.usedBytes))[0]
}

/**
 * Lists the limits of a group and of the groups around it. Inside a container the path may be that of the host; then
 * the top group counts.
 */
async function readLevels(
  mount: string,
  path: string | undefined,
  [limit, usage, cache]: readonly [string, string, string],
): Promise<Memory[]> {
  const parts = (path ?? '').split('/').filter((part) => part !== '' && part !== '..')
  const levels = Array.from({ length: parts.length + 1 }, (_, depth) => join(mount, ...parts.slice(0, depth)))
  const found = await Promise.all(
    levels.map(async (folder) => {
      const [totalBytes, current, stat] = await Promise.all([
        readNumber(join(folder, limit)),
        readNumber(join(folder, usage)),
        readFile(join(folder, 'memory.stat'), 'latin1').catch(() => ''),
      ])
      if (totalBytes === undefined || current === undefined) return []
      // File pages that are released on demand are not pressure.
      const reclaimable = Number(new RegExp(`^${cache} (\\d+)$`, 'm').exec(stat)?.[1] ?? 0)
      return [{ totalBytes, usedBytes: Math.max(0, current - reclaimable) }]
    }),
  )
  return found.flat()
}

async function readNumber(file: string): Promise<number | undefined> {
  const text = (await readFile(file, 'latin1').catch(() => '')).trim()
  return /^\d+$/.test(text) ? Number(text) : undefined
}

function sum(devices: readonly Memory[]): Memory {
  return {
    totalBytes: devices.reduce((total, device) => total + device.totalBytes, 0),
    usedBytes: devices.reduce((total, device) => total + device.usedBytes, 0),
  }
}

/** Lowers the memory of each device in the same proportion: a size is that of all devices together. */
function capDevices(devices: readonly DeviceMemory[], budget: MemoryBudget): DeviceMemory[] {
  const { totalBytes: all } = sum(devices)
  const share = 'share' in budget ? budget.share : Math.min(1, budget.bytes / Math.max(1, all))
  return devices.map((device) => ({ ...device, totalBytes: Math.floor(device.totalBytes * share) }))
}

function toShareOfBudget({ usedBytes, totalBytes }: Memory): number {
  return totalBytes > 0 ? Math.max(0, usedBytes / totalBytes) : 0
}

function toShare({ usedBytes, totalBytes }: Memory): number {
  return Math.min(1, Math.max(0, usedBytes / totalBytes))
}
