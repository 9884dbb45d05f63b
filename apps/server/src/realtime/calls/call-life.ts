import { SvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import { HEARD_RATE, type RealtimeSession } from '../ports.ts'
import type { Connection } from './peer/connection.ts'

/** Sound that a session may have to take still; more is dropped. */
const MAX_UNHEARD_MS = 5000

/** Parts of {@link createLife}. */
export interface LifeOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly log: Logger
}

/** The span of a call: what is to be freed at its end. */
export interface Life {
  session: RealtimeSession | undefined
  connection: Connection | undefined
  readonly begunAt: number
  readonly lastSignAt: number
  /** When somebody spoke, answered or sent an event last. */
  readonly lastUsedAt: number
  /** Whether the last event has been sent. */
  isEnding: boolean
  readonly isConnected: boolean
  /** Aborts at the end. */
  readonly gone: AbortSignal
  readonly over: Promise<void>
  receive(text: Uint8Array): Promise<void>
  hear(samples: Float32Array): void
  connected(): void
  /** Something came from the client. */
  sign(): void
  /** Somebody speaks, answers or sends an event. */
  used(): void
  add(free: () => void): void
  /** Ends everything; a second time does nothing. */
  end(reason: string): void
}

/** Creates the span of a call. It is over once {@link Life.end} was called and everything is freed. */
export function createLife({ clock, log }: LifeOptions): Life {
  const abort = new AbortController()
  const freeing: (() => void)[] = []
  let unheardMs = 0
  let isConnected = false
  let lastSignAt = clock.monotonic()
  let lastUsedAt = lastSignAt
  let settle = (): void => undefined
  const over = new Promise<void>((resolve) => {
    settle = resolve
  })

  async function free(reason: string): Promise<void> {
    const { session, connection } = life
    try {
      connection?.close()
      for (const each of freeing.splice(0).reverse()) each()
      await session?.close()
    } catch (error) {
      log.error({ err: error }, 'a call could not be ended properly')
    }
    log.info({ session: session?.id, reason, ms: Math.round(clock.monotonic() - life.begunAt) }, 'a call has ended')
    settle()
  }

  const life: Life = {
    session: undefined,
    connection: undefined,
    begunAt: lastSignAt,
    isEnding: false,
    over,
    gone: abort.signal,
    get lastSignAt() {
      return lastSignAt
    },
    get lastUsedAt() {
      return lastUsedAt
    },
    get isConnected() {
      return isConnected
    },
    async receive(text) {
      await life.session?.receive(text).catch((error: unknown) => {
        log.error({ err: error }, 'an event of a call failed unexpectedly')
      })
    },
    hear(samples) {
      const ms = (samples.length * 1000) / HEARD_RATE
      if (life.session === undefined || unheardMs > MAX_UNHEARD_MS) return
      unheardMs += ms
      life.session
        .hear(samples, { sampleRate: HEARD_RATE })
        .catch((error: unknown) => log.error({ err: error }, 'sound of a call failed unexpectedly'))
        .finally(() => {
          unheardMs -= ms
        })
    },
    connected() {
      isConnected = true
      lastSignAt = clock.monotonic()
    },
    sign() {
      lastSignAt = clock.monotonic()
    },
    used() {
      lastUsedAt = clock.monotonic()
    },
    add(each) {
      if (abort.signal.aborted) each()
      else freeing.push(each)
    },
    end(reason) {
      if (abort.signal.aborted) return
      abort.abort(new SvcError('cancelled', reason, { code: 'client_gone' }))
      void free(reason)
    },
  }
  return life
}
