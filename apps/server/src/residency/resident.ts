import type { BackendClient } from '@svc/backend-client'
import { SvcError } from '@svc/errors'
import type { RunningBackend } from '../backends/running-backend.ts'
import { settlesWithin } from '../backends/settles-within.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { WeightsIdentity } from '../catalog/weights-identity.ts'
import type { Clock } from '../ports.ts'
import type { StopOutcome } from './stop-outcome.ts'

/** Time that an attached backend is trusted to hold its model without a health check. */
const TRUST_MS = 30_000
const HEALTH_TIMEOUT_MS = 5000
/** Time to wait for the end of a process after a broken call. */
const EXIT_NOTICE_MS = 1000

/** The right to call a loaded model. The model is busy until it is released. */
export interface ModelLease {
  readonly client: BackendClient
  /** The place of the model. */
  readonly place: string
  /** Name of its worker, where clients may know it. @default they may not */
  readonly node?: string | undefined
  /** Name of the model's backend. */
  readonly backend: string
  /** The weights that it was loaded from; undefined where their file is not known. @default unknown */
  readonly weights?: WeightsIdentity | undefined
  /** Gives the lease back; further calls do nothing. */
  release(): void
  /**
   * Reports a failed call. A backend that lost its model or holds another one is let go, so that the next acquire loads
   * again. An unreachable backend is asked for its health first.
   */
  reportFailure(error: unknown): void
  /**
   * Whether the model was in a process of this server that ended by itself: a crash, or a kill by another program.
   * Stops by this server and attached backends do not count. Waits up to a second for the end.
   */
  hasDied(): Promise<boolean>
}

/** One loaded model. */
export interface Resident {
  readonly name: string
  readonly model: ModelConfig
  /** Text of its load request; another text means that it must be loaded again. */
  readonly revision: string
  readonly backend: RunningBackend
  readonly inFlight: number
  /** Milliseconds since the epoch; undefined before the first use. */
  readonly lastUsed: number | undefined
  /** Time of its last use, or of its load. Monotonic milliseconds. */
  readonly usedAt: number
  /** Start of the oldest running call; undefined while none runs. Monotonic milliseconds. */
  readonly busySince: number | undefined
  /** End of the last call; undefined during a call and before the first one has ended. Monotonic milliseconds. */
  readonly idleSince: number | undefined
  /** Set while an explicit stop waits for running calls; settles with the stop. */
  draining: Promise<StopOutcome> | undefined
  lease(): ModelLease
  /** Whether it may be leased without a health check. */
  isTrusted(): boolean
  /** Asks the backend for its health: false when it cannot be reached, true when it is only slow. */
  isReachable(signal: AbortSignal): Promise<boolean>
  /** Resolves when no call runs. */
  whenIdle(): Promise<void>
}

/**
 * Creates the resident of a loaded model.
 *
 * @param options.onLost called when a call shows that the backend does not hold the model
 */
export function createResident(options: {
  readonly place: string
  readonly model: ModelConfig
  readonly revision: string
  readonly backend: RunningBackend
  readonly weights: WeightsIdentity | undefined
  readonly clock: Clock
  readonly onLost: (resident: Resident) => void
  /** Called when the last running call has ended. */
  readonly onIdle: () => void
}): Resident {
  const { place, model, revision, backend, clock } = options
  const isAttached = backend.program.kind === 'attach'
  /** Running calls, the oldest first. */
  const calls = new Set<{ readonly since: number }>()
  let lastUsed: number | undefined
  let usedAt = clock.monotonic()
  let checkedAt = usedAt
  let isSuspect = false
  let idleWaiters: (() => void)[] = []

  const touch = () => {
    lastUsed = clock.now()
    usedAt = clock.monotonic()
  }
  const release = (call: { readonly since: number }) => {
    if (!calls.delete(call)) return
    touch()
    if (calls.size > 0) return
    const waiting = idleWaiters
    idleWaiters = []
    for (const resolve of waiting) resolve()
    options.onIdle()
  }
  const reportFailure = (error: unknown) => {
    if (!SvcError.is(error)) return
    if (error.code === 'model_not_loaded' || error.code === 'model_identity_mismatch') options.onLost(resident)
    if (error.code === 'backend_unavailable' || error.code === 'backend_exited') isSuspect = true
  }
  const hasDied = async (): Promise<boolean> => {
    if (backend.pid === undefined || backend.isStopping()) return false
    if (!backend.hasExited()) await settlesWithin(backend.exited, EXIT_NOTICE_MS, clock)
    return backend.hasExited() && !backend.isStopping()
  }
  const resident: Resident = {
    name: model.name,
    model,
    revision,
    backend,
    get inFlight() {
      return calls.size
    },
    get lastUsed() {
      return lastUsed
    },
    get usedAt() {
      return usedAt
    },
    get busySince() {
      const [oldest] = calls
      return oldest?.since
    },
    get idleSince() {
      return calls.size > 0 || lastUsed === undefined ? undefined : usedAt
    },
    draining: undefined,
    lease() {
      touch()
      const call = { since: usedAt }
      calls.add(call)
      return {
        client: backend.client,
        place,
        backend: backend.program.name,
        weights: options.weights,
        release: () => release(call),
        reportFailure,
        hasDied,
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
        // A backend that computes may answer too late; only an unreachable one is lost.
        if (!SvcError.is(error) || error.kind !== 'timeout') return false
      }
      checkedAt = clock.monotonic()
      isSuspect = false
      return !backend.hasExited()
    },
    whenIdle() {
      if (calls.size === 0) return Promise.resolve()
      return new Promise((resolve) => idleWaiters.push(resolve))
    },
  }
  return resident
}
