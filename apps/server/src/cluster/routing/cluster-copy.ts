import { untilAborted } from '../../concurrency/until-aborted.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { NodeRegistry, Scheduling, SchedulingRules } from '../contract/nodes.ts'
import { noRules } from '../contract/scheduling.ts'
import { type ClusterView, createClusterIndex } from '../decisions/cluster-view.ts'
import type { ReplicaRows } from '../loads/replica-store.ts'

/** Age from which a copy is read again beside its use, milliseconds. */
const REFRESH_MS = 1000
/** Age from which a copy is not used any more, milliseconds. */
const OLDEST_MS = 10_000
/** Time between two readings without a request, milliseconds. */
const POLL_MS = 5000

/** The nodes, replicas and rules of a moment. */
export interface ClusterSnapshot {
  readonly view: ClusterView
  /** The rules of a model; those of no limit when it has none. */
  rulesOf(model: string): Scheduling
}

/** A copy of the cluster's state in memory, so that a request to a loaded model needs no query. */
export interface ClusterCopy {
  /** The copy; undefined when it is too old. One that is a second old is read again meanwhile. */
  current(): ClusterSnapshot | undefined
  /** Reads the state. A reading that has begun before does not count. @throws the reason of the signal */
  read(options: { readonly signal: AbortSignal }): Promise<ClusterSnapshot>
  /** Something has changed: the next request begins to read. */
  touch(): void
  /** Reads every 5 seconds until the signal aborts, so that there is a copy also when no request comes. */
  run(signal: AbortSignal): Promise<void>
  /** Ends the subscription. */
  close(): void
}

/** Parts of {@link createClusterCopy}. */
export interface ClusterCopyParts {
  readonly nodes: Pick<NodeRegistry, 'list' | 'onChange'>
  readonly scheduling: Pick<SchedulingRules, 'list'>
  readonly replicas: Pick<ReplicaRows, 'list'>
  /** Id of this server: it counts its running requests itself. */
  readonly frontEnd: string
  readonly clock: Pick<Clock, 'monotonic' | 'sleep'>
  readonly logger: Logger
}

/** Creates a copy that has not been read. */
export function createClusterCopy(parts: ClusterCopyParts): ClusterCopy {
  const { nodes, scheduling, replicas, frontEnd, clock, logger } = parts
  let copy: { readonly snapshot: ClusterSnapshot; readonly readAt: number } | undefined
  let isStale = false
  let running: Promise<ClusterSnapshot> | undefined
  let next: Promise<ClusterSnapshot> | undefined

  async function readNow(): Promise<ClusterSnapshot> {
    const readAt = clock.monotonic()
    isStale = false
    try {
      const [all, rules, rows] = await Promise.all([
        nodes.list(),
        scheduling.list(),
        replicas.list({ exceptFrontend: frontEnd }),
      ])
      const byModel = new Map(rules.map((each) => [each.model, each]))
      const snapshot: ClusterSnapshot = {
        view: createClusterIndex({ nodes: all, replicas: rows }),
        rulesOf: (model) => byModel.get(model) ?? noRules(model),
      }
      copy = { snapshot, readAt }
      return snapshot
    } catch (error) {
      isStale = true
      throw error
    }
  }
  function begin(): Promise<ClusterSnapshot> {
    const mine = readNow().finally(() => {
      if (running === mine) running = undefined
    })
    running = mine
    return mine
  }
  /** Callers that come during a reading share the one after it. */
  function readNext(): Promise<ClusterSnapshot> {
    if (running === undefined) return begin()
    next ??= running
      .catch(() => undefined)
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
  const touch = (): void => {
    isStale = true
  }
  const warn = (error: unknown): void => logger.warn({ err: error }, 'the state of the cluster could not be read')
  const end = nodes.onChange(touch)
  return {
    current() {
      if (copy === undefined) return undefined
      const age = clock.monotonic() - copy.readAt
      if (age >= OLDEST_MS) return undefined
      if ((isStale || age >= REFRESH_MS) && running === undefined) void begin().catch(warn)
      return copy.snapshot
    },
    read: ({ signal }) => untilAborted(readNext(), signal),
    touch,
    async run(signal) {
      while (!signal.aborted) {
        await readNext().catch(warn)
        await clock.sleep(POLL_MS, { signal }).catch(() => undefined)
      }
    },
    close: end,
  }
}
