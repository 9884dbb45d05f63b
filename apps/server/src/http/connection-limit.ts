import type { Socket } from 'node:net'

/** Connections beyond the limit that are listened to all the same, so that checks of health are answered. */
const MAX_EXCESS = 32
/** File descriptors that connections leave to files, databases and backends. */
const RESERVED_DESCRIPTORS = 128
/** Least connections, whatever the system allows. */
const MIN_CONNECTIONS = 16
/** Most connections where the system has no limit and nobody says one. */
const MAX_UNLIMITED = 65_536

/** How many connections a server may have, and whether that is fewer than it was asked to. */
export interface GrantedConnections {
  readonly max: number
  readonly isLess: boolean
}

/**
 * How many connections a server may have. Left to itself it takes half of the descriptors: an answered call may hold
 * another one, to its upstream.
 *
 * @param asked 0 leaves it to the server
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

/** How many files the process may have open at once; undefined where the system does not say. */
export function readDescriptorLimit(): number | undefined {
  // Else the names of all peers are looked up. The types do not know it yet.
  Object.assign(process.report, { excludeNetwork: true })
  const text = JSON.stringify(process.report.getReport())
  const limit = /"open_files":\{"soft":(\d+)/.exec(text)?.[1]
  return limit === undefined ? undefined : Number(limit)
}

/**
 * Counts connections. Where there is no room for one the longest idle makes it; where all are in use the new one is in
 * excess: only checks of health are answered on it.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #endIdle: () => boolean
  readonly #open = new Set<Socket>()
  readonly #excess = new Set<Socket>()

  /** @param endIdle destroys one that is idle, and says whether there was one */
  constructor(max: number, endIdle: () => boolean) {
    this.#max = max
    this.#endIdle = endIdle
  }

  /** Whether the connection has been counted. */
  has(socket: Socket): boolean {
    return this.#open.has(socket) || this.#excess.has(socket)
  }

  isExcess(socket: Socket): boolean {
    return this.#excess.has(socket)
  }

  /** Counts a connection until it closes. @returns false where there is no room for it whatever it asks */
  add(socket: Socket): boolean {
    const isAdmitted = this.#open.size < this.#max || this.#endIdle()
    if (!isAdmitted && this.#excess.size >= MAX_EXCESS) return false
    const counted = isAdmitted ? this.#open : this.#excess
    counted.add(socket)
    socket.once('close', () => counted.delete(socket))
    return true
  }
}
