import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { RunningBackend } from '../backends/running-backend.ts'
import type { Clock } from '../ports.ts'

/** How long an attached backend is believed to hold its model without being asked. */
const TRUST_MS = 30_000
const HEALTH_TIMEOUT_MS = 5000

/** The right to call a loaded model. It counts as in flight until released. */
export interface ModelLease {
  readonly client: BackendClient
  /** Name of the backend that has the model. */
  readonly backend: string
  /** Gives the lease back; only the first call counts. */
  release(): void
  /**
   * Tells of a failed call. A backend that lost its model or holds another one is let go, so that the next acquire
   * loads again; one that could not be reached is asked for its health first.
   */
  reportFailure(error: unknown): void
}

/** One loaded model. */
export interface Resident {
  readonly name: string
  /** What it was loaded with; another means another load. */
  readonly revision: string
  readonly backend: RunningBackend
  readonly inFlight: number
  /** Milliseconds since the epoch; undefined before the first use. */
  readonly lastUsed: number | undefined
  /** Set while an explicit stop waits for running calls; settles with it. */
  draining: Promise<unknown> | undefined
  lease(): ModelLease
  /** Whether it may be leased without asking its backend first. */
  isTrusted(): boolean
  /** Asks the backend for its health: false when it cannot be reached, true also when it is slow. */
  isReachable(signal: AbortSignal): Promise<boolean>
  /** Resolves when nothing is in flight. */
  whenIdle(): Promise<void>
}

/**
 * A model that has just been loaded.
 *
 * @param options.onLost called when a call found out that the backend does not hold the model
 */
export function createResident(options: {
  readonly name: string
  readonly revision: string
  readonly backend: RunningBackend
  readonly clock: Clock
  readonly onLost: (resident: Resident) => void
}): Resident {
  const { name, revision, backend, clock } = options
  const isAttached = backend.program.kind === 'attach'
  let inFlight = 0
  let lastUsed: number | undefined
  let checkedAt = clock.monotonic()
  let isSuspect = false
  let onIdle: (() => void)[] = []

  const release = () => {
    inFlight--
    lastUsed = clock.now()
    if (inFlight > 0) return
    const waiting = onIdle
    onIdle = []
    for (const resolve of waiting) resolve()
  }
  const reportFailure = (error: unknown) => {
    if (!SvcError.is(error)) return
    if (error.code === 'model_not_loaded' || error.code === 'model_identity_mismatch') options.onLost(resident)
    if (error.code === 'backend_unavailable' || error.code === 'backend_exited') isSuspect = true
  }
  const resident: Resident = {
    name,
    revision,
    backend,
    get inFlight() {
      return inFlight
    },
    get lastUsed() {
      return lastUsed
    },
    draining: undefined,
    lease() {
      inFlight++
      lastUsed = clock.now()
      let isHeld = true
      return {
        client: backend.client,
        backend: backend.program.name,
        release() {
          if (isHeld) release()
          isHeld = false
        },
        reportFailure,
      }
    },
    isTrusted() {
      if (backend.hasExited() || isSuspect || resident.draining !== undefined) return false
      return !isAttached || clock.monotonic() - checkedAt <= TRUST_MS
    },
    async isReachable(signal) {
      if (backend.hasExited()) return false
      try {
        await backend.client.health({ timeoutMs: HEALTH_TIMEOUT_MS, signal })
      } catch (error) {
        // A backend that computes may not answer in time; it is lost only when nobody is there.
        if (!SvcError.is(error) || error.kind !== 'timeout') return false
      }
      checkedAt = clock.monotonic()
      isSuspect = false
      return !backend.hasExited()
    },
    whenIdle() {
      if (inFlight === 0) return Promise.resolve()
      return new Promise((resolve) => onIdle.push(resolve))
    },
  }
  return resident
}
