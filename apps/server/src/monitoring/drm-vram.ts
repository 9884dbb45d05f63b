import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { readProcessTable } from '../backends/process-table.ts'

const RENDER_NODE = /^\/dev\/dri\/renderD\d+(?: \(deleted\))?$/
const PRIMARY_NODE = /^\/dev\/dri\/card\d+(?: \(deleted\))?$/
const PROPRIETARY_DEVICE = /^\/dev\/nvidia/
const DEVICE_REGION = /^(?:vram|local)/
const COUNTER = /^drm-(resident|memory)-(.+)$/
const AMOUNT = /^(\d+)(?:[ \t]+(KiB|MiB|GiB))?$/
const UNIT_BYTES: Readonly<Record<string, number>> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3 }

/** One open file of a process, with its GPU accounting. */
export interface DrmDescriptor {
  /** Target of its link. */
  readonly target: string
  /** Its `fdinfo` text; null when unreadable. */
  readonly fdinfo: string | null
  /** Error code of a failed read. */
  readonly error?: string | undefined
}

/** One DRM client: its bytes of device memory, counted once for each GPU. */
interface DrmClient {
  readonly key: string
  readonly deviceBytes: number
}

/**
 * Sums the device memory of a backend in bytes from the DRM counters of its processes; undefined when the accounting is
 * missing or incomplete, which differs from 0 (§2.8).
 *
 * @param processes the open files of each process of the backend
 */
export function sumDeviceMemory(processes: readonly (readonly DrmDescriptor[])[]): number | undefined {
  const clients = new Map<string, number>()
  for (const descriptor of processes.flat()) {
    if (PRIMARY_NODE.test(descriptor.target) || PROPRIETARY_DEVICE.test(descriptor.target)) return undefined
    // The file was closed between listing and reading.
    if (!RENDER_NODE.test(descriptor.target) || descriptor.error === 'ENOENT') continue
    const client = descriptor.fdinfo === null ? undefined : parseClient(descriptor.fdinfo)
    if (client === undefined) return undefined
    clients.set(client.key, client.deviceBytes)
  }
  if (clients.size === 0) return undefined
  return [...clients.values()].reduce((sum, bytes) => sum + bytes, 0)
}

/** Parses a client; undefined when it has no identity, or its memory counters are missing or unreadable. */
function parseClient(fdinfo: string): DrmClient | undefined {
  const fields = parseFields(fdinfo)
  const id = fields.get('drm-client-id')
  const address = fields.get('drm-pdev')?.toLowerCase()
  const regions = parseRegions(fields)
  if (!id || !address || regions === undefined || regions.size === 0) return undefined
  let deviceBytes = 0
  for (const [region, bytes] of regions) {
    if (DEVICE_REGION.test(region)) deviceBytes += bytes
  }
  return { key: `${address} ${id}`, deviceBytes }
}

function parseFields(fdinfo: string): Map<string, string> {
  const fields = new Map<string, string>()
  for (const line of fdinfo.split('\n')) {
    const colon = line.indexOf(':')
    if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 1).trim())
  }
  return fields
}

/**
 * Sums resident bytes by region; undefined when a region of device memory is unreadable. Regions of host memory are not
 * counted, so an unreadable one counts as 0. `drm-memory-` is the older name of `drm-resident-`; the newer one takes
 * precedence.
 */
function parseRegions(fields: ReadonlyMap<string, string>): Map<string, number> | undefined {
  const regions = new Map<string, number>()
  for (const [key, value] of fields) {
    const [, name, region] = COUNTER.exec(key) ?? []
    if (region === undefined || (name === 'memory' && fields.has(`drm-resident-${region}`))) continue
    const [, amount, unit] = AMOUNT.exec(value) ?? []
    if (amount === undefined && DEVICE_REGION.test(region)) return undefined
    regions.set(region, Number(amount ?? 0) * (unit === undefined ? 1 : (UNIT_BYTES[unit] ?? 1)))
  }
  return regions
}

/**
 * Reads the device memory of a backend: its process, its group and their descendants. Undefined when unknown.
 *
 * @param root mount of the process file system. @default '/proc'
 */
export async function readDeviceMemory(pid: number, root = '/proc'): Promise<number | undefined> {
  const family = (await readProcessTable(root))?.family(pid) ?? []
  const processes: DrmDescriptor[][] = []
  for (const member of family) {
    const descriptors = await readDescriptors(join(root, String(member.pid)))
    if (descriptors === undefined) return undefined
    processes.push(descriptors)
  }
  return sumDeviceMemory(processes)
}

/** Lists the open GPU devices of a process; none when it is gone, undefined without permission. */
async function readDescriptors(folder: string): Promise<DrmDescriptor[] | undefined> {
  const names = await readdir(join(folder, 'fd')).catch(toCode)
  if (typeof names === 'string') return names === 'ENOENT' || names === 'ESRCH' ? [] : undefined
  const descriptors: DrmDescriptor[] = []
  for (const name of names) {
    const target = await readlink(join(folder, 'fd', name)).catch(() => '')
    if (RENDER_NODE.test(target)) descriptors.push({ target, ...(await readFdinfo(join(folder, 'fdinfo', name))) })
    else if (target.startsWith('/dev/')) descriptors.push({ target, fdinfo: null })
  }
  return descriptors
}

async function readFdinfo(file: string): Promise<Pick<DrmDescriptor, 'fdinfo' | 'error'>> {
  try {
    return { fdinfo: await readFile(file, 'utf8') }
  } catch (error) {
    return { fdinfo: null, error: toCode(error) }
  }
}

function toCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown'
}
