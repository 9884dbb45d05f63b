import { readFileSync, readlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { Clock, Logger } from '../ports.ts'
import { removeSocketFolder } from './endpoint.ts'
import { type ProcessStat, type ProcessTable, readProcessStat, readProcessTable } from './process-table.ts'

const RECORD_VERSION = 1
const MAX_RECORD_BYTES = 1024 * 1024
const REAP_POLL_MS = 25
/** Time between TERM and KILL; a server start waits at most twice as long. */
const REAP_GRACE_MS = 1000

/** One backend process in the record. */
export interface RecordedBackend {
  readonly pid: number
  readonly startTicks: number
  readonly name: string
  /** Folder of its socket file. */
  readonly folder?: string | undefined
}

/** Record of this server's backend processes, so that the next server can end them if this one is killed. */
export interface ProcessRecord {
  add(backend: RecordedBackend): void
  remove(pid: number): void
  /** Resolves when all changes so far are written. */
  settled(): Promise<void>
}

/** Replaces a file as a whole, durably. */
export type WriteFile = (path: string, content: string) => Promise<void>

interface RecordFile {
  readonly version: number
  /** Boot of the machine and process namespace; pids have no meaning outside them. */
  readonly host: string
  readonly server: { readonly pid: number; readonly startTicks: number }
  readonly backends: readonly RecordedBackend[]
}

/**
 * Creates the record. A failed write is logged and repaired by the next one, because a full disk must not stop models
 * from loading.
 */
export function createProcessRecord(options: {
  readonly file: string
  readonly writeFile: WriteFile
  readonly logger: Logger
}): ProcessRecord {
  const backends = new Map<number, RecordedBackend>()
  const server = { pid: process.pid, startTicks: readProcessStat(process.pid)?.startTicks ?? 0 }
  let writing: Promise<void> = Promise.resolve()
  let isWaiting = false
  const save = () => {
    // One write waits behind the running one and includes all changes since.
    if (isWaiting) return
    isWaiting = true
    writing = writing.then(async () => {
      isWaiting = false
      const content: RecordFile = {
        version: RECORD_VERSION,
        host: readHostId(),
        server,
        backends: [...backends.values()],
      }
      await options.writeFile(options.file, `${JSON.stringify(content)}\n`).catch((error: unknown) => {
        options.logger.warn({ err: error }, 'backend processes cannot be recorded')
      })
    })
  }
  return {
    add(backend) {
      backends.set(backend.pid, backend)
      save()
    },
    remove(pid) {
      if (backends.delete(pid)) save()
    },
    settled: () => writing,
  }
}

/**
 * Ends backend processes that a killed server left behind, by group: TERM, then KILL. Call it before the first start.
 *
 * A group is signalled only if the process of that pid has the recorded start time. When the leader is gone, the
 * members must be of its session, younger than it and older than this server.
 *
 * @returns the number of ended groups
 */
export async function reapOrphans(options: {
  readonly file: string
  readonly clock: Clock
  readonly logger: Logger
}): Promise<number> {
  const record = await readRecord(options.file)
  if (record === undefined || record.host !== readHostId() || isAlive(record.server)) return 0
  const orphans = await findOrphans(record.backends)
  for (const orphan of orphans) {
    options.logger.warn({ pid: orphan.pid, backend: orphan.name }, 'ending backend of a server that was killed')
  }
  await endGroups(orphans, options.clock)
  for (const { folder } of record.backends) {
    if (folder !== undefined) await removeSocketFolder(folder)
  }
  return orphans.length
}

async function endGroups(orphans: readonly RecordedBackend[], clock: Clock): Promise<void> {
  const never = new AbortController().signal
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    let left = await findOrphans(orphans)
    for (const { pid } of left) signalGroup(pid, signal)
    const deadline = clock.monotonic() + REAP_GRACE_MS
    while (left.length > 0 && clock.monotonic() < deadline) {
      await clock.sleep(REAP_POLL_MS, { signal: never })
      left = await findOrphans(left)
    }
    if (left.length === 0) return
  }
}

async function findOrphans(backends: readonly RecordedBackend[]): Promise<readonly RecordedBackend[]> {
  const table = await readProcessTable()
  if (table === undefined) return []
  const self = table.get(process.pid)
  return backends.filter((backend) => listMembers(backend, table, self).length > 0)
}

function listMembers(backend: RecordedBackend, table: ProcessTable, self: ProcessStat | undefined) {
  const leader = table.get(backend.pid)
  if (leader !== undefined && leader.startTicks !== backend.startTicks) return []
  return table.group(backend.pid).filter((stat) => {
    const isYounger = stat.startTicks >= backend.startTicks
    const isOlderThanUs = self === undefined || stat.startTicks <= self.startTicks
    return stat.sessionId === backend.pid && isYounger && (leader !== undefined || isOlderThanUs)
  })
}

function signalGroup(groupId: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-groupId, signal)
  } catch {
    // gone already, or owned by another user
  }
}

function isAlive(server: RecordFile['server']): boolean {
  return server.startTicks > 0 && readProcessStat(server.pid)?.startTicks === server.startTicks
}

function readHostId(): string {
  try {
    const bootId = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${bootId} ${readlinkSync('/proc/self/ns/pid')}`
  } catch {
    return 'unknown'
  }
}

/** Reads the record; an invalid one means that there is nothing to end. */
async function readRecord(file: string): Promise<RecordFile | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    if (text.length > MAX_RECORD_BYTES) return undefined
    const value: unknown = JSON.parse(text)
    return isRecordFile(value) ? value : undefined
  } catch {
    return undefined
  }
}

function isRecordFile(value: unknown): value is RecordFile {
  if (typeof value !== 'object' || value === null) return false
  const record = value as Partial<Record<keyof RecordFile, unknown>>
  const isKnown = record.version === RECORD_VERSION && typeof record.host === 'string' && isProcessId(record.server)
  return isKnown && Array.isArray(record.backends) && record.backends.every(isRecordedBackend)
}

function isProcessId(value: unknown): value is RecordFile['server'] {
  if (typeof value !== 'object' || value === null) return false
  const { pid, startTicks } = value as Partial<Record<string, unknown>>
  return Number.isSafeInteger(pid) && Number.isSafeInteger(startTicks) && Number(pid) >= 1
}

function isRecordedBackend(value: unknown): value is RecordedBackend {
  // A group id of 1 or less would signal every process.
  if (!isProcessId(value) || value.pid <= 1) return false
  const { name, folder } = value as Partial<Record<string, unknown>>
  return typeof name === 'string' && (folder === undefined || typeof folder === 'string')
}
