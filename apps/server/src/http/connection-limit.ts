import { readFileSync } from 'node:fs'
import type { Socket } from 'node:net'

/** Connections above the limit that are read all the same, so that health checks are answered. */
const MAX_EXCESS = 32
/** File descriptors that stay free for files, databases and backends. */
const RESERVED_DESCRIPTORS = 128
/** Least connections, whatever the system allows. */
const MIN_CONNECTIONS = 16
/** Most connections where neither the system nor the operator sets a limit. */
const MAX_UNLIMITED = 65_536

/** The number of connections that a server may have, and whether the operator asked for more. */
export interface GrantedConnections {
  readonly max: number
  readonly isLess: boolean
}

/**
 * Computes the number of connections that a server may have. The default is half of the free descriptors: a call may hold a
 * second one, to its upstream.
 *
 * @param asked 0 for the default
 * @param descriptors of the process; undefined where there is no limit
 */
export function grantConnections(asked: number, descriptors: number | undefined): GrantedConnections {
  const free = descriptors === undefined ? undefined : Math.max(descriptors - RESERVED_DESCRIPTORS, MIN_CONNECTIONS)
  if (asked === 0) {
    return { max: free === undefined ? MAX_UNLIMITED : Math.max(Math.floor(free / 2), MIN_CONNECTIONS), isLess: false }
  }
  const max = Math.min(asked, free ?? asked)
  return { max, isLess: max < asked }
}

/** Reads the number of files that the process may have open; undefined where the system does not say. */
export function readDescriptorLimit(): number | undefined {
  // A report takes longer than all else that a start asks the system for.
  const limit = process.platform === 'linux' ? readLinuxLimit() : readReportedLimit()
  return limit === undefined ? undefined : Number(limit)
}

function readLinuxLimit(): string | undefined {
  return /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
}

function readReportedLimit(): string | undefined {
  // Without this the report looks up the names of all peers. The types do not have it yet.
  Object.assign(process.report, { excludeNetwork: true })
  const text = JSON.stringify(process.report.getReport())
  return /"open_files":\{"soft":(\d+)/.exec(text)?.[1]
}

/**
 * Counts connections. A connection above the limit is in excess. When it sends a request, the connection that has been
 * idle the longest is closed for it; when all are in use, it gets answers to health checks only.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #findIdle: () => Socket | undefined
  readonly #open = new Set<Socket>()
  readonly #excess = new Set<Socket>()

  /** @param findIdle finds the connection that has been idle the longest; undefined when all are in use */
  constructor(max: number, findIdle: () => Socket | undefined) {
    this.#max = max
    this.#findIdle = findIdle
  }

  isExcess(socket: Socket): boolean {
    return this.#excess.has(socket)
  }

  /** Counts a connection until it closes. @returns false where there is no room even for health checks */
  add(socket: Socket): boolean {
    if (this.#open.size >= this.#max && this.#excess.size >= MAX_EXCESS && !this.#endIdle()) return false
    const counted = this.#open.size < this.#max ? this.#open : this.#excess
    counted.add(socket)
    socket.once('close', () => this.#forget(socket))
    return true
  }

  /** Whether a request on the connection may be served. It closes an idle connection where there is no room. */
  admits(socket: Socket): boolean {
    if (!this.#excess.has(socket)) return true
    if (this.#open.size >= this.#max) this.#endIdle()
    if (this.#open.size >= this.#max) return false
    this.#excess.delete(socket)
    this.#open.add(socket)
    return true
  }

  #endIdle(): boolean {
    const socket = this.#findIdle()
    if (socket === undefined) return false
    socket.destroy()
    this.#forget(socket)
    return true
  }

  #forget(socket: Socket): void {
    this.#open.delete(socket)
    this.#excess.delete(socket)
  }
}
