import type { MitmEvent } from './events.ts'

/** Counts events, and hands them on. */
export class EventCounter {
  readonly #onEvent: ((event: MitmEvent) => void) | undefined
  /** Open tunnels. */
  tunnels = 0
  refused = 0
  requests = 0
  blocked = 0

  constructor(onEvent: ((event: MitmEvent) => void) | undefined) {
    this.#onEvent = onEvent
  }

  emit(event: MitmEvent): void {
    this.#count(event)
    try {
      this.#onEvent?.(event)
    } catch {
      // Events come from sockets: an error would end the process.
    }
  }

  #count(event: MitmEvent): void {
    switch (event.type) {
      case 'connect':
        if (!event.intercepted) this.tunnels += 1
        break
      case 'tunnel-end':
        this.tunnels -= 1
        break
      case 'refused':
        this.refused += 1
        break
      case 'traffic':
        this.requests += 1
        if (event.outcome === 'blocked') this.blocked += 1
        break
      case 'server-name-mismatch':
      case 'handshake-failed':
    }
  }
}
