import { SvcError, toSvcError } from '@svc/errors'
import type { Clock, Logger } from '../../ports.ts'
import type { LoadClaim, LoadJobs, LoadStep, LoadTarget } from './load-jobs.ts'

/** Time after which a load without a sign of life is taken over, milliseconds. */
const LEASE_MS = 30_000
const RENEW_MS = 10_000
const DEFAULT_TELL_MS = 15_000
const MINUTE_MS = 60_000
/** Longest silence of a load that has shown progress. */
const SILENCE_MS = 5 * MINUTE_MS
const LEAST_MS = 25 * MINUTE_MS
const MOST_MS = 24 * 60 * MINUTE_MS

/** Ends of a load that say nothing about its model: of this server, and of the database. */
const LEFT: readonly (string | undefined)[] = ['shutting_down', 'database_unavailable']

/** Does a load: chooses a node, installs, stages, loads. It ends soon after the signal aborts. */
export type RunLoad = (
  target: LoadTarget,
  options: {
    readonly signal: AbortSignal
    /** Notes progress, which extends the time of the load. */
    readonly report: (step: LoadStep) => void
  },
) => Promise<void>

/** Options of {@link createLoadRunner}. */
export interface LoadRunnerOptions {
  readonly jobs: LoadJobs
  /** Id of this server. */
  readonly owner: string
  readonly run: RunLoad
  /** Longest times of an installation and of LoadModel, milliseconds. */
  readonly installMs: number
  readonly loadMs: number
  /** Time for which a failure is told, so that everybody who waits gets the cause, milliseconds. @default 15000 */
  readonly tellMs?: number | undefined
  /** Called when a load begins, moves or ends. */
  readonly onChange: (model: string) => void
  readonly clock: Clock
  readonly logger: Logger
}

/** Runs the loads that this server has claimed. */
export interface LoadRunner {
  /**
   * Claims a load and runs it in the background, whoever waits for it.
   *
   * @returns false when another server runs it, or its failure is told at the moment
   */
  start(target: LoadTarget): Promise<boolean>
  /** Aborts all loads, and leaves them to the other servers. Resolves when none runs. */
  close(): Promise<void>
}

/** Creates the runner of a server. */
export function createLoadRunner(options: LoadRunnerOptions): LoadRunner {
  const { jobs, owner } = options
  const closing = new AbortController()
  const running = new Set<Promise<void>>()
  const note = (work: Promise<void>): void => {
    const noted = work.finally(() => running.delete(noted))
    running.add(noted)
  }
  async function begin(target: LoadTarget): Promise<boolean> {
    const claim = await jobs.claim(target, { owner, leaseMs: LEASE_MS })
    if (claim === undefined) return false
    if (closing.signal.aborted) {
      await jobs.renew(claim, { leaseMs: 0 })
      throw closing.signal.reason
    }
    note(runClaimed({ target, claim, closing: closing.signal }, options))
    return true
  }
  return {
    async start(target) {
      closing.signal.throwIfAborted()
      const begun = begin(target)
      note(
        begun.then(
          () => undefined,
          () => undefined,
        ),
      )
      return begun
    },
    async close() {
      closing.abort(new SvcError('unavailable', 'the server stops', { code: 'shutting_down' }))
      while (running.size > 0) await Promise.all(running)
    },
  }
}

interface ClaimedLoad {
  readonly target: LoadTarget
  readonly claim: LoadClaim
  readonly closing: AbortSignal
}

/** Never rejects. */
async function runClaimed({ target, claim, closing }: ClaimedLoad, options: LoadRunnerOptions): Promise<void> {
  const { jobs, clock, logger, onChange } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([closing, stop.signal])
  const ended = new AbortController()
  const news = createNews(options)
  const renewing = keepClaim({ claim, news, stop, ended: ended.signal }, options)
  onChange(target.model)
  try {
    const end = await runToEnd()
    // A renewal on its way must not come after the end.
    ended.abort()
    await renewing
    await noteEnd(end, { closing, clock, logger })
  } finally {
    onChange(target.model)
  }

  /** @returns what writes the end */
  async function runToEnd(): Promise<() => Promise<boolean>> {
    try {
      await options.run(target, { signal, report: (step) => news.add(step) })
      signal.throwIfAborted()
      return () => jobs.finish(claim)
    } catch (error) {
      const reason: unknown = signal.aborted ? signal.reason : error
      logger.warn({ model: target.model, err: reason }, 'a load on a worker has failed')
      return () => fail(reason)
    }
  }

  /** A load that says nothing about the model ends its lease: the next server goes on at once. */
  function fail(reason: unknown): Promise<boolean> {
    const failure = toSvcError(reason)
    if (LEFT.includes(failure.code)) return jobs.renew(claim, { leaseMs: 0 })
    return endWith(options, claim, failure)
  }

  /** What a load has reported since it was last written, and until when it may go on. */
  function createNews({ installMs, loadMs }: LoadRunnerOptions) {
    const startedAt = clock.monotonic()
    let endsAt = startedAt + Math.max(installMs + loadMs + SILENCE_MS, LEAST_MS)
    let step: LoadStep | undefined
    return {
      add(next: LoadStep) {
        step = { ...step, ...next }
        endsAt = Math.max(endsAt, clock.monotonic() + SILENCE_MS)
      },
      take() {
        const taken = step
        step = undefined
        return taken
      },
      isOver: () => clock.monotonic() >= Math.min(endsAt, startedAt + MOST_MS),
    }
  }
}

/** Writes how a load has ended, as soon as the database is there. After the lease another server finds it. Never rejects. */
async function noteEnd(
  write: () => Promise<boolean>,
  { closing, clock, logger }: Pick<LoadRunnerOptions, 'clock' | 'logger'> & { readonly closing: AbortSignal },
): Promise<void> {
  const until = clock.monotonic() + LEASE_MS
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (closing.aborted || clock.monotonic() >= until) {
        logger.warn({ err: error }, 'the end of a load could not be noted')
        return
      }
    }
    await clock.sleep(WRITE_MS, { signal: closing }).catch(() => undefined)
  }
}

/** Tells a failure of the model. Those who wait ask themselves whether there is a place for it at the moment. */
function endWith(
  { jobs, tellMs = DEFAULT_TELL_MS }: Pick<LoadRunnerOptions, 'jobs' | 'tellMs'>,
  claim: LoadClaim,
  { code, message }: SvcError,
): Promise<boolean> {
  return code === 'no_healthy_node' ? jobs.finish(claim) : jobs.fail(claim, { error: message, tellMs })
}

/** Renews the claim until the load has ended; stops a load that was taken over or takes too long. */
async function keepClaim(
  {
    claim,
    news,
    stop,
    ended,
  }: {
    readonly claim: LoadClaim
    readonly news: { take(): LoadStep | undefined; isOver(): boolean }
    readonly stop: AbortController
    readonly ended: AbortSignal
  },
  { jobs, clock, logger }: LoadRunnerOptions,
): Promise<void> {
  let renewedAt = clock.monotonic()
  let wait = 0
  while (!ended.aborted && !stop.signal.aborted) {
    const isEnded = await clock.sleep(WRITE_MS, { signal: ended }).then(
      () => false,
      () => true,
    )
    if (isEnded) return
    wait += WRITE_MS
    if (news.isOver()) stop.abort(new SvcError('timeout', 'the load takes too long', { code: 'model_load_timeout' }))
    const step = news.take()
    if (step === undefined && wait < RENEW_MS) continue
    wait = 0
    try {
      if (await jobs.renew(claim, { leaseMs: LEASE_MS, step })) renewedAt = clock.monotonic()
      else stop.abort(lost())
    } catch (error) {
      logger.warn({ err: error }, 'the progress of a load could not be noted')
      if (clock.monotonic() - renewedAt >= LEASE_MS) stop.abort(lost())
    }
  }
}

/** Progress is written no more often than this. */
const WRITE_MS = 1000

const lost = (): SvcError =>
  new SvcError('unavailable', 'another server has taken over the load', { code: 'load_lost' })
