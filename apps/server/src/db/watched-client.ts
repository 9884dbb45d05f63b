import type { Clock, Logger } from '../ports.ts'
import { databaseAway } from './database-error.ts'

/** Answer of a database server to the question whether it is there. */
export type Pulse =
  /** It runs statements of this program, or does not say it. */
  | 'working'
  /** It runs no statement: work that waits for an answer waits on connections that are dead. */
  | 'idle'
  | 'away'

/** A client, as its watch sees it. */
export interface WatchedParts<Client> {
  /** Makes a client. It connects with its first query. */
  readonly open: () => Client
  /** Ends a client with everything that waits on it. */
  readonly drop: (client: Client) => Promise<void>
  /** Asks the server on a connection of its own. It answers within a few seconds. */
  readonly feelPulse: (signal: AbortSignal) => Promise<Pulse>
  readonly clock: Clock
  readonly logger: Logger
}

/** Work on a client. */
export interface Work {
  /** Called with each statement: the time limit of a work is that of its statements. */
  readonly beat: () => void
}

/** The client of a database server that may stop to answer while its connections stay open. */
export interface WatchedClient<Client> {
  /** The client of the moment. Only {@link run} keeps time limits. */
  readonly current: Client
  /**
   * Runs work on the client.
   *
   * @throws {SvcError} `unavailable` when the server does not answer: after a few seconds, and at once until it answers again
   */
  run<T>(work: (client: Client, work: Work) => Promise<T>): Promise<T>
  /**
   * Runs work on the client of the moment, then again on each that takes its place, once the server answers.
   *
   * @throws as {@link WatchedClient.run} the first time
   */
  follow(work: (client: Client) => Promise<void>): Promise<void>
  close(drop: (client: Client) => Promise<void>): Promise<void>
}

/** Time between two looks at waiting work. */
const LOOK_MS = 1000
/** Work that waits for longer makes the watch ask the server. */
const PATIENCE_MS = 2000
/** Longest time of one statement. The server has a shorter limit of its own. */
const STATEMENT_MS = 35_000

/**
 * Watches a client. A query on a connection whose other end is gone waits for many minutes, and so does its request. While
 * work waits, the server is asked once a second. A server that does not answer fails all work, and new work too until it
 * answers. A client whose connections are dead is replaced, so that nothing of it reaches the server later.
 */
export function watchClient<Client>(parts: WatchedParts<Client>): WatchedClient<Client> {
  const { feelPulse, clock, logger } = parts
  const closing = new AbortController()
  const { signal } = closing
  const clients = createReplacedClients(parts)
  const waiting = createWaitingWork(clock)
  const followers = new Set<(client: Client) => Promise<void>>()
  let isAway = false
  let watching: Promise<void> | undefined

  function replaceClient(): void {
    clients.replace()
    waiting.failAll(databaseAway)
  }

  function callFollowers(): void {
    for (const work of followers) void callFollower(work)
  }

  async function callFollower(work: (client: Client) => Promise<void>): Promise<void> {
    const called = clients.current
    // The next client has a call of its own.
    while (clients.current === called && !signal.aborted) {
      try {
        await run(work)
        return
      } catch (error) {
        logger.debug({ err: error }, 'work on a new client of the database failed')
        await clock.sleep(LOOK_MS, { signal }).catch(() => undefined)
      }
    }
  }

  async function waitForServer(): Promise<void> {
    isAway = true
    logger.warn({}, 'the database does not answer')
    replaceClient()
    do await clock.sleep(LOOK_MS, { signal })
    while ((await feelPulse(signal)) === 'away')
    isAway = false
    logger.info({}, 'the database answers again')
    callFollowers()
  }

  async function onFinding(finding: Finding): Promise<void> {
    if (finding === 'away') return waitForServer()
    logger.warn({}, 'connections to the database are dead; they are replaced')
    replaceClient()
    callFollowers()
  }

  function startWatch(): void {
    watching ??= watchWork({ waiting, feelPulse, clock, signal }, onFinding)
      .catch((error: unknown) => {
        if (!signal.aborted) logger.error({ err: error }, 'the watch of the database failed')
      })
      .finally(() => {
        watching = undefined
        if (!waiting.isEmpty && !signal.aborted) startWatch()
      })
  }

  function run<T>(work: (client: Client, work: Work) => Promise<T>): Promise<T> {
    if (isAway) return Promise.reject(databaseAway())
    return waiting.run((beat) => {
      startWatch()
      return work(clients.current, { beat })
    })
  }

  return {
    get current() {
      return clients.current
    },
    run,
    async follow(work) {
      await run(work)
      followers.add(work)
    },
    async close(dropLast) {
      closing.abort(new Error('the database is closed'))
      await watching
      await clients.close(dropLast)
    },
  }
}

/** A client, and the ones before it that are still being dropped. */
interface ReplacedClients<Client> {
  readonly current: Client
  replace(): void
  close(drop: (client: Client) => Promise<void>): Promise<void>
}

function createReplacedClients<Client>({
  open,
  drop,
}: Pick<WatchedParts<Client>, 'open' | 'drop'>): ReplacedClients<Client> {
  const drops = new Set<Promise<void>>()
  let client = open()
  return {
    get current() {
      return client
    },
    replace() {
      const dropped = drop(client)
        .catch(() => undefined)
        .finally(() => drops.delete(dropped))
      drops.add(dropped)
      client = open()
    },
    async close(dropLast) {
      await dropLast(client)
      await Promise.all(drops)
    },
  }
}

/** Work that waits for the database. */
interface WaitingWork {
  readonly isEmpty: boolean
  /** Gives the longest time since a work began or its last statement was sent. */
  longestMs(): number
  /** Number of works that have been answered. */
  readonly answered: number
  /** Runs work that may call `beat` with each statement. */
  run<T>(work: (beat: () => void) => Promise<T>): Promise<T>
  /** Fails all of it, each with an error of its own. */
  failAll(createError: () => Error): void
}

function createWaitingWork(clock: Pick<Clock, 'monotonic'>): WaitingWork {
  interface Waiting {
    since: number
    readonly fail: (error: unknown) => void
  }
  const waiting = new Set<Waiting>()
  let answered = 0
  return {
    get answered() {
      return answered
    },
    get isEmpty() {
      return waiting.size === 0
    },
    longestMs() {
      const now = clock.monotonic()
      return Math.max(0, ...Array.from(waiting, ({ since }) => now - since))
    },
    run: (work) =>
      new Promise((resolve, reject) => {
        const entry: Waiting = { since: clock.monotonic(), fail: reject }
        const beat = (): void => {
          entry.since = clock.monotonic()
        }
        waiting.add(entry)
        work(beat)
          .then((result) => {
            answered += 1
            resolve(result)
          }, reject)
          .finally(() => waiting.delete(entry))
      }),
    failAll(createError) {
      for (const { fail } of waiting) fail(createError())
      waiting.clear()
    },
  }
}

/** Finding of the watch: the server is away, or the connections to it are dead. */
type Finding = 'away' | 'dead'

/** Options of {@link watchWork}. */
interface WatchOptions extends Pick<WatchedParts<unknown>, 'feelPulse' | 'clock'> {
  readonly waiting: WaitingWork
  readonly signal: AbortSignal
}

/** Looks once a second at waiting work, until none waits. */
async function watchWork(
  { waiting, feelPulse, clock, signal }: WatchOptions,
  onFinding: (finding: Finding) => Promise<void>,
): Promise<void> {
  let idle = 0
  for (;;) {
    await clock.sleep(LOOK_MS, { signal })
    if (waiting.isEmpty) return
    const longest = waiting.longestMs()
    if (longest < PATIENCE_MS) continue
    const { answered } = waiting
    const pulse = await feelPulse(signal)
    idle = pulse === 'idle' ? idle + 1 : 0
    // A busy server may take long for a new connection while it answers on others.
    if (pulse === 'away' && waiting.answered === answered) await onFinding('away')
    // Between two statements the server runs none either, so one look does not count.
    else if (idle > 1 || longest > STATEMENT_MS) await onFinding('dead')
  }
}
