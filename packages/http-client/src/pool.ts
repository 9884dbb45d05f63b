import type { SvcError } from '@svc/errors'
import { Connection, type ConnectionOwner, type ConnectionSettings, type Origin } from './connection.ts'
import { toUpstreamFailure, upstreamBusy, upstreamTimedOut } from './errors.ts'

/** Bounds of a pool. */
export interface PoolLimits {
  /** Connections of all origins together, also the ones that are being opened. */
  readonly maxConnections: number
  /** Connections to one origin. */
  readonly maxPerOrigin: number
  /** Requests that may wait for a connection, of all origins together. */
  readonly maxWaiting: number
  /** Time that an unused connection is kept, milliseconds. */
  readonly idleMs: number
  /** Longest time of name look-up, TCP and TLS together, milliseconds. */
  readonly connectMs: number
}

/** A request that needs a connection. */
export interface Waiter {
  onConnection(connection: Connection): void
  /** Reports that there will be no connection. */
  onNoConnection(error: SvcError): void
}

interface Place {
  readonly origin: Origin
  /** Unused connections, the most recently used last. */
  readonly idle: Connection[]
  readonly waiting: Waiter[]
  /** Connections being opened, with their deadlines. */
  readonly connecting: Map<Connection, number>
  /** All of its connections. */
  open: number
}

/** A connection is not reused this close to the time at which the upstream closes it. */
const KEEP_ALIVE_MARGIN_MS = 1000
/** The pool forgets every origin without connections and waiters; it keeps this many TLS sessions. */
const MAX_SESSIONS = 256

/** Keeps connections for the next request, and queues requests until there is a connection. */
export class ConnectionPool implements ConnectionOwner {
  readonly #limits: PoolLimits
  readonly #settings: ConnectionSettings
  readonly #places = new Map<string, Place>()
  #open = 0
  #waiting = 0
  #isClosed = false

  constructor(limits: PoolLimits, settings: ConnectionSettings) {
    this.#limits = limits
    this.#settings = settings
  }

  /** Open connections, and requests that wait for one. */
  get counts(): { readonly open: number; readonly waiting: number } {
    return { open: this.#open, waiting: this.#waiting }
  }

  /** Gives the waiter a connection: at once when one is free, else as soon as there is one. */
  acquire(origin: Origin, waiter: Waiter, isFresh: boolean): void {
    const place = this.#findPlace(origin)
    const connection = isFresh ? undefined : takeIdle(place)
    if (connection !== undefined) {
      waiter.onConnection(connection)
      return
    }
    if (this.#waiting >= this.#limits.maxWaiting) {
      this.#forget(place)
      waiter.onNoConnection(upstreamBusy())
      return
    }
    place.waiting.push(waiter)
    this.#waiting += 1
    this.#connect(place)
  }

  /** Removes a waiter that needs no connection any more. */
  leave(origin: Origin, waiter: Waiter): void {
    const place = this.#places.get(origin.key)
    const index = place?.waiting.indexOf(waiter) ?? -1
    if (place === undefined || index < 0) return
    place.waiting.splice(index, 1)
    this.#waiting -= 1
  }

  /** Takes back a connection after a complete reply. */
  release(connection: Connection, options: { now: number; keepAliveSeconds: number | undefined }): void {
    connection.user = undefined
    connection.served += 1
    const place = this.#places.get(connection.origin.key)
    if (place === undefined || this.#isClosed || !connection.isUsable) {
      connection.destroy()
      return
    }
    const { keepAliveSeconds, now } = options
    const promisedMs = keepAliveSeconds === undefined ? Number.POSITIVE_INFINITY : keepAliveSeconds * 1000
    const keptMs = Math.min(this.#limits.idleMs, promisedMs - KEEP_ALIVE_MARGIN_MS)
    if (keptMs <= 0) {
      connection.destroy()
      return
    }
    connection.idleUntil = now + keptMs
    this.#offer(place, connection)
  }

  onReady(connection: Connection): void {
    const place = this.#places.get(connection.origin.key)
    if (place === undefined) {
      connection.destroy()
      return
    }
    place.connecting.delete(connection)
    connection.idleUntil = performance.now() + this.#limits.idleMs
    this.#offer(place, connection)
  }

  onClosed(connection: Connection, error: Error | undefined): void {
    const place = this.#places.get(connection.origin.key)
    if (place === undefined) return
    place.open -= 1
    this.#open -= 1
    const index = place.idle.indexOf(connection)
    if (index >= 0) place.idle.splice(index, 1)
    if (place.connecting.delete(connection)) this.#refuse(place, toUpstreamFailure(error))
    this.#connect(place)
    this.#serveOthers()
    this.#forget(place)
  }

  /** Closes connections that were unused or connecting for too long. @returns whether any connection is left */
  sweep(now: number): boolean {
    for (const place of [...this.#places.values()]) {
      for (const connection of place.idle.filter(({ idleUntil }) => idleUntil <= now)) connection.destroy()
      for (const [connection, until] of [...place.connecting]) {
        if (until > now) continue
        place.connecting.delete(connection)
        connection.destroy()
        this.#refuse(place, upstreamTimedOut('connect'))
      }
    }
    return this.#open > 0
  }

  /** Closes every connection that is not in use; the others close with their request. */
  close(): void {
    this.#isClosed = true
    for (const place of this.#places.values()) {
      for (const connection of [...place.idle, ...place.connecting.keys()]) connection.destroy()
    }
  }

  #findPlace(origin: Origin): Place {
    const known = this.#places.get(origin.key)
    if (known !== undefined) return known
    const place: Place = { origin, idle: [], waiting: [], connecting: new Map(), open: 0 }
    this.#places.set(origin.key, place)
    return place
  }

  #forget(place: Place): void {
    if (place.open === 0 && place.waiting.length === 0) this.#places.delete(place.origin.key)
  }

  /** Gives a free connection to the longest waiter, else keeps it. */
  #offer(place: Place, connection: Connection): void {
    const waiter = place.waiting.shift()
    if (waiter === undefined) {
      place.idle.push(connection)
      this.#serveOthers()
      return
    }
    this.#waiting -= 1
    waiter.onConnection(connection)
  }

  #refuse(place: Place, error: SvcError): void {
    const waiter = place.waiting.shift()
    if (waiter === undefined) return
    this.#waiting -= 1
    waiter.onNoConnection(error)
  }

  /** Opens as many connections as requests wait, within the bounds. */
  #connect(place: Place): void {
    const { maxPerOrigin, maxConnections, connectMs } = this.#limits
    while (!this.#isClosed && place.connecting.size < place.waiting.length && place.open < maxPerOrigin) {
      if (this.#open >= maxConnections) {
        this.#closeOldestIdle()
        return
      }
      place.open += 1
      this.#open += 1
      trim(this.#settings.sessions)
      const connection = new Connection(place.origin, this.#settings, this)
      place.connecting.set(connection, performance.now() + connectMs)
    }
  }

  /** While the pool is full, requests of one origin wait for connections of other origins. */
  #serveOthers(): void {
    if (this.#waiting === 0) return
    for (const place of this.#places.values()) if (place.waiting.length > 0) this.#connect(place)
  }

  /** Closes the oldest unused connection; its place is free once its end has been seen. */
  #closeOldestIdle(): void {
    let oldest: Connection | undefined
    for (const { idle } of this.#places.values()) {
      const [first] = idle
      if (first !== undefined && (oldest === undefined || first.idleUntil < oldest.idleUntil)) oldest = first
    }
    oldest?.destroy()
  }
}

function takeIdle(place: Place): Connection | undefined {
  for (let connection = place.idle.pop(); connection !== undefined; connection = place.idle.pop()) {
    if (connection.isUsable) return connection
    connection.destroy()
  }
  return undefined
}

/** Forgets the sessions that were not renewed for longest. */
function trim(sessions: Map<string, Buffer>): void {
  for (const key of sessions.keys()) {
    if (sessions.size <= MAX_SESSIONS) return
    sessions.delete(key)
  }
}
