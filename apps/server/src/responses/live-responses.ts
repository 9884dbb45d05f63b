import { SvcError } from '@svc/errors'
import type { ResponseResource } from '@svc/wire/responses'
import type { Bus } from '../bus/bus.ts'
import { repeat } from '../concurrency/repeat.ts'
import type { Clock, Logger } from '../ports.ts'
import { LEASE_MS } from './lease.ts'
import type { Reader, ResponseStore, StoredResponse } from './stored-response.ts'

/** Interval at which the leases of running responses are renewed. */
const RENEW_MS = LEASE_MS / 3
/** Interval at which the store drops old responses. */
const TRIM_MS = 10 * 60_000

/** A response that runs in this process. */
export interface LiveResponse {
  readonly id: string
  readonly owner: string
  readonly background: boolean
  /** Gives the present response. */
  current(): StoredResponse
  /**
   * Gives frames after a sequence number as they come; ends with the response.
   *
   * @throws {SvcError} `rate_limited`, code `response_readers`, when too many readers follow the response
   */
  follow(after: number, options: { readonly signal: AbortSignal }): AsyncGenerator<string>
  /** Ends the run at once, as cancelled or with the error; resolves once that is stored. */
  stop(error?: SvcError): Promise<ResponseResource>
}

/** The responses that run in this process, by id. A reader finds its own; an admin finds all. */
export interface LiveResponses {
  get(id: string, reader: Reader): LiveResponse | undefined
  add(response: LiveResponse): void
  remove(id: string): void
  /** Holds a run without a waiting client until it has ended. */
  track(run: Promise<unknown>): void
  /** Fails the responses that run in the background, and waits for their end. */
  close(): Promise<void>
}

/**
 * Creates an empty list. Renews the leases of background responses, and trims the store from time to time. Ends the runs
 * of responses that another server has cancelled or deleted.
 */
export function createLiveResponses(options: {
  readonly store: ResponseStore
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
  readonly logger: Logger
}): LiveResponses {
  const { store, bus, clock, logger } = options
  const running = new Map<string, LiveResponse>()
  const tracked = new Set<Promise<unknown>>()
  const closing = new AbortController()

  function every(ms: number, work: () => Promise<void>): Promise<void> {
    const tend = (): Promise<void> =>
      work().catch((error: unknown) => logger.warn({ err: error }, 'stored responses could not be tended'))
    return repeat(ms, tend, { clock, signal: closing.signal })
  }

  const tending = [
    every(RENEW_MS, async () => {
      const ids = [...running.values()].filter(({ background }) => background).map(({ id }) => id)
      // The messages of these may be lost.
      for (const id of ids.length === 0 ? [] : await store.renew(ids)) await running.get(id)?.stop()
    }),
    every(TRIM_MS, () => store.trim()),
  ]

  async function stopIfEnded(response: LiveResponse): Promise<void> {
    try {
      const stored = await store.read(response.id, { id: response.owner, isAdmin: true })
      const status = stored?.resource.status
      if (status !== 'queued' && status !== 'in_progress') await response.stop()
    } catch (error) {
      logger.warn({ err: error, id: response.id }, 'a response that another server ended could not be looked up')
    }
  }

  function track(run: Promise<unknown>): void {
    tracked.add(run)
    const forget = (): void => void tracked.delete(run)
    run.then(forget, forget)
  }

  bus.subscribe(
    'responses.stopped',
    ({ id }) => {
      const response = running.get(id)
      // Another response is stored only once it has ended.
      if (response?.background === true) track(stopIfEnded(response))
    },
    { signal: closing.signal },
  )

  return {
    get(id, reader) {
      const response = running.get(id)
      return response !== undefined && (reader.isAdmin || response.owner === reader.id) ? response : undefined
    },
    add: (response) => void running.set(response.id, response),
    remove: (id) => void running.delete(id),
    track,
    async close() {
      closing.abort()
      const error = new SvcError('unavailable', 'the server stopped while the response was running', {
        code: 'shutting_down',
      })
      const background = [...running.values()].filter((response) => response.background)
      await Promise.allSettled(background.map((response) => response.stop(error)))
      await Promise.allSettled([...tracked, ...tending])
    },
  }
}
