import { SvcError } from '@svc/errors'
import type { Bus } from '../bus/bus.ts'
import { nextMessage } from '../bus/next-message.ts'
import { repeat } from '../concurrency/repeat.ts'
import type { Clock, Logger } from '../ports.ts'
import { refusal, sortViews } from './entry.ts'
import type { ForeignOperation, ForeignOperations } from './foreign-operations.ts'
import { isPending, type OperationView } from './operation.ts'
import type { Operations } from './operations.ts'

/** Options of {@link createSharedOperations}. */
export interface SharedOperationsOptions {
  /** The queue of this front end. */
  readonly own: Operations
  readonly foreign: ForeignOperations
  readonly bus: Pick<Bus, 'publish' | 'subscribe'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Interval of looks at the operations of the others without a message. */
const LOOK_MS = 10_000
/** Shortest time between two looks: progress comes many times a second. */
const PAUSE_MS = 1000
/** Longest wait for another front end to end an operation. */
const STOP_MS = 10_000

/**
 * The operations of all front ends. Each front end runs its own; requests to end those of another one go there over the
 * bus. The work of a front end that is gone is shown as failed.
 */
export function createSharedOperations(options: SharedOperationsOptions): Operations {
  const { own, foreign, bus, clock } = options
  const closed = new AbortController()
  const others = followForeign(options, closed.signal)
  const isOwn = (jobId: string): boolean => own.list().some((view) => view.jobId === jobId)

  async function find(jobId: string): Promise<OperationView | undefined> {
    return (await own.find(jobId)) ?? (await foreign.find(jobId))?.view
  }

  const hear = (jobId: string, signal: AbortSignal): Promise<void> =>
    nextMessage(bus, 'operations.changed', {
      isMeant: (message) => message.jobId === jobId,
      signal,
      atMost: { ms: PAUSE_MS, clock },
    })

  async function waitForChange(...[jobId, seen, { signal }]: Parameters<Operations['waitForChange']>): Promise<void> {
    if (isOwn(jobId)) return own.waitForChange(jobId, seen, { signal })
    await hear(jobId, signal)
  }

  /** Asks the front end that has an operation, and waits until it has done so. */
  async function ask(jobId: string, how: 'cancelled' | 'paused' | 'dismissed'): Promise<void> {
    const { state } = (await find(jobId)) ?? {}
    const deadline = clock.monotonic() + STOP_MS
    let heard = hear(jobId, closed.signal)
    bus.publish('operations.stopped', { jobId, how })
    while (clock.monotonic() < deadline) {
      await heard
      heard = hear(jobId, closed.signal)
      // The look at the row may fail before anybody awaits this.
      heard.catch(() => undefined)
      const view = await find(jobId)
      if (view === undefined || (view.state !== state && !isPending(view))) return
    }
    throw new SvcError('unavailable', 'the server that runs the operation did not answer', {
      code: 'operation_elsewhere',
      retryAfterMs: STOP_MS,
    })
  }

  async function stop(jobId: string, how: 'cancelled' | 'paused'): Promise<void> {
    const found = isOwn(jobId) ? undefined : await foreign.find(jobId)
    if (found === undefined) return how === 'paused' ? own.pause(jobId) : own.cancel(jobId)
    if (!isPending(found.view)) {
      throw refusal('operation_not_found', `operation "${jobId}" not found or already completed`)
    }
    if (!found.view.cancellable) {
      throw refusal('operation_not_cancellable', `operation "${jobId}" cannot be cancelled`)
    }
    await ask(jobId, how)
    await others.look()
  }

  return {
    ...bindOwn(own),
    start() {
      own.start()
      others.start()
    },
    list: () => sortViews([...own.list(), ...others.list()]),
    find,
    cancel: (jobId) => stop(jobId, 'cancelled'),
    pause: (jobId) => stop(jobId, 'paused'),
    async dismiss(jobId) {
      const found = isOwn(jobId) ? undefined : await foreign.find(jobId)
      if (found === undefined) return own.dismiss(jobId)
      if (found.view.state !== 'failed') return
      if (found.isAlive) await ask(jobId, 'dismissed')
      else await foreign.dismiss(jobId)
      await others.look()
    },
    history: () => foreign.history(),
    clearHistory: () => foreign.clear(),
    waitForChange,
    async waitForEnd(jobId, { signal }) {
      for (;;) {
        const view = await find(jobId)
        if (view === undefined || !isPending(view)) return view
        await waitForChange(jobId, view.progress, { signal })
      }
    },
    async close() {
      closed.abort(new SvcError('unavailable', 'the server stops', { code: 'shutting_down' }))
      await others.settled()
      await own.close()
    },
  }
}

function bindOwn(
  own: Operations,
): Pick<Operations, 'register' | 'registerOnNodes' | 'addStaging' | 'enqueue' | 'staging'> {
  return {
    register: (...work) => own.register(...work),
    registerOnNodes: (...work) => own.registerOnNodes(...work),
    addStaging: (source) => own.addStaging(source),
    enqueue: (request, options) => own.enqueue(request, options),
    staging: () => own.staging(),
  }
}

/** Keeps a copy of the open operations of the others: lists are asked for at once. */
function followForeign({ own, foreign, bus, clock, logger }: SharedOperationsOptions, signal: AbortSignal) {
  let known: readonly ForeignOperation[] = []
  let lookedAt = Number.NEGATIVE_INFINITY
  let looking: Promise<void> | undefined
  let running: Promise<void> = Promise.resolve()
  let isFailing = false

  async function read(): Promise<void> {
    lookedAt = clock.monotonic()
    try {
      known = await foreign.list()
      isFailing = false
    } catch (error) {
      if (!isFailing) logger.warn({ err: error }, 'operations of other servers cannot be read')
      isFailing = true
    }
  }

  /** Reads them once more; a read that runs already may have begun before the change. */
  async function look(): Promise<void> {
    await looking
    looking ??= read().finally(() => {
      looking = undefined
    })
    return looking
  }

  async function lookSoon(): Promise<void> {
    const wait = lookedAt + PAUSE_MS - clock.monotonic()
    if (wait > 0) await clock.sleep(wait, { signal })
    await look()
  }

  let soon: Promise<void> | undefined
  bus.subscribe(
    'operations.changed',
    ({ jobId }) => {
      if (own.list().some((view) => view.jobId === jobId)) return
      soon ??= lookSoon()
        .catch(() => undefined)
        .finally(() => {
          soon = undefined
        })
    },
    { signal },
  )
  return {
    list: () => known.map(({ view }) => view),
    look,
    start() {
      running = look().then(() => repeat(LOOK_MS, look, { clock, signal }))
    },
    async settled(): Promise<void> {
      await Promise.all([running, soon])
    },
  }
}
