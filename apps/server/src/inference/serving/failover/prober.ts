import type { DueProbe, FailoverGroup } from '@svc/proxy/failover'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import { listFailoverTargets } from '../../../catalog/serving.ts'
import type { Clock, Logger } from '../../../ports.ts'
import type { FailoverGroups } from './groups.ts'
import type { Probe } from './probe.ts'

/** Probes targets that are down until they are up again, and loads targets that are to stay warm. */
export interface Prober {
  /** Watches the targets of a group while one of them is down or rests and its file stays the same. */
  watch(group: FailoverGroup, model: ModelConfig): void
  /** Ends all probing. */
  close(): Promise<void>
}

/** Options of {@link createProber}. */
export interface ProberOptions {
  readonly groups: Pick<FailoverGroups, 'isGone'>
  readonly probe: Probe
  /** Loads a target into memory. */
  readonly load: (model: ModelConfig, options: { readonly signal: AbortSignal }) => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

/** Creates a prober. It runs at most one loop for each group. */
export function createProber({ groups, probe, load, clock, logger }: ProberOptions): Prober {
  const closing = new AbortController()
  /** Running loops by group, with the model of the current file. */
  const watched = new Map<FailoverGroup, { model: ModelConfig; readonly done: Promise<void> }>()

  const warmed = new WeakSet<FailoverGroup>()
  const warming = new Set<Promise<void>>()

  /** Loads warm targets once, while another target serves. */
  const warm = (group: FailoverGroup, owner: ModelConfig): void => {
    if (warmed.has(group)) return
    warmed.add(group)
    const names = new Set(group.states.filter((target) => target.warm).map((target) => target.model))
    for (const { name, model } of listFailoverTargets(owner)) {
      if (!names.has(name) || model.disabled) continue
      const loading = load(model, { signal: closing.signal }).catch((error: unknown) => {
        if (!closing.signal.aborted) logger.warn({ model: name, err: error }, 'failover target could not be loaded')
      })
      warming.add(loading)
      void loading.finally(() => warming.delete(loading))
    }
  }
  const look = async (group: FailoverGroup, { model: name, isLast }: DueProbe): Promise<void> => {
    const owner = watched.get(group)?.model
    const target = owner && listFailoverTargets(owner).find((one) => one.name === name)?.model
    const isServing = target !== undefined && !target.disabled
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(group.settings.probe.timeoutMs)])
    const isGood = isServing && (await isPossible(probe(target, { signal, isLast })))
    logger.debug({ model: name, good: isGood }, 'failover target was probed')
    group.reportProbe(name, isGood)
  }
  // A rest ends when the state is read. The loop reads it, so that subscribers learn of it in time.
  const needsLooks = (group: FailoverGroup): boolean =>
    !groups.isGone(group) && group.states.some(({ status }) => status !== 'up')

  const run = async (group: FailoverGroup): Promise<void> => {
    try {
      while (needsLooks(group)) {
        await clock.sleep(group.settings.probe.intervalMs, { signal: closing.signal })
        if (needsLooks(group)) await Promise.all(group.dueProbes().map((due) => look(group, due)))
      }
    } finally {
      // Without delay: a target that fails from now on starts another loop.
      watched.delete(group)
    }
  }

  return {
    watch(group, model) {
      if (closing.signal.aborted || groups.isGone(group)) return
      warm(group, model)
      const loop = watched.get(group)
      if (loop !== undefined) {
        loop.model = model
        return
      }
      if (!needsLooks(group)) return
      const done = Promise.resolve()
        .then(() => run(group))
        .catch(() => undefined)
      watched.set(group, { model, done })
    },
    async close() {
      closing.abort()
      await Promise.all([...[...watched.values()].map(({ done }) => done), ...warming])
    },
  }
}

async function isPossible(work: Promise<void>): Promise<boolean> {
  try {
    await work
    return true
  } catch {
    return false
  }
}
