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
 * Counts connections. Where there is no room for one it is in excess. Once it asks for something the longest idle makes
 * room for it; where all are in use only checks of health are answered on it.
 */
export class ConnectionLimit {
  readonly #max: number
  readonly #findIdle: () => Socket | undefined
  readonly #open = new Set<Socket>()
  readonly #excess = new Set<Socket>()

  /** @param findIdle the longest idle; none when all are in use */
  constructor(max: number, findIdle: () => Socket | undefined) {
    this.#max = max
    this.#findIdle = findIdle
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
    if (this.#open.size >= this.#max && this.#excess.size >= MAX_EXCESS && !this.#endIdle()) return false
    const counted = this.#open.size < this.#max ? this.#open : this.#excess
    counted.add(socket)
    socket.once('close', () => this.#forget(socket))
    return true
  }

  /** Whether a request on the connection may be served, which makes room for it where there is none. */
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
