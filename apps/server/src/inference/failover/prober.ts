import type { DueProbe, FailoverGroup } from '@svc/proxy/failover'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { listFailoverTargets } from '../../catalog/serving.ts'
import type { Clock, Logger } from '../../ports.ts'
import type { Chains } from './chains.ts'
import type { Probe } from './probe.ts'

/** Looks at targets that are down until they are up again, and has those loaded that are to be warm. */
export interface Prober {
  /** Looks after the targets of a chain from now on, for as long as one of them is down or rests and its file is the same. */
  watch(chain: FailoverGroup, model: ModelConfig): void
  /** Ends every look. */
  close(): Promise<void>
}

/** What {@link createProber} needs. */
export interface ProberOptions {
  readonly chains: Pick<Chains, 'isGone'>
  readonly probe: Probe
  /** Brings a target into memory. */
  readonly load: (model: ModelConfig, options: { readonly signal: AbortSignal }) => Promise<void>
  readonly clock: Clock
  readonly logger: Logger
}

/** A prober without anything to look at; one loop a chain, at most. */
export function createProber({ chains, probe, load, clock, logger }: ProberOptions): Prober {
  const closing = new AbortController()
  /** The loops that run, by chain, with the model as its file is now. */
  const watched = new Map<FailoverGroup, { model: ModelConfig; readonly done: Promise<void> }>()

  const warmed = new WeakSet<FailoverGroup>()
  const warming = new Set<Promise<void>>()

  /** Targets that are to be warm are loaded once, while another one serves. */
  const warm = (chain: FailoverGroup, owner: ModelConfig): void => {
    if (warmed.has(chain)) return
    warmed.add(chain)
    const names = new Set(chain.states.filter((target) => target.warm).map((target) => target.model))
    for (const { name, model } of listFailoverTargets(owner)) {
      if (!names.has(name) || model.disabled) continue
      const loading = load(model, { signal: closing.signal }).catch((error: unknown) => {
        if (!closing.signal.aborted) logger.warn({ model: name, err: error }, 'target of a chain could not be loaded')
      })
      warming.add(loading)
      void loading.finally(() => warming.delete(loading))
    }
  }
  const look = async (chain: FailoverGroup, { model: name, isLast }: DueProbe): Promise<void> => {
    const owner = watched.get(chain)?.model
    const target = owner && listFailoverTargets(owner).find((one) => one.name === name)?.model
    const isServing = target !== undefined && !target.disabled
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(chain.settings.probe.timeoutMs)])
    const isGood = isServing && (await isPossible(probe(target, { signal, isLast })))
    logger.debug({ model: name, good: isGood }, 'target of a chain was looked at')
    chain.reportProbe(name, isGood)
  }
  // Rests end when somebody looks: so that this is told in time, they are looked at too.
  const needsLooks = (chain: FailoverGroup): boolean =>
    !chains.isGone(chain) && chain.states.some(({ status }) => status !== 'up')

  const run = async (chain: FailoverGroup): Promise<void> => {
    try {
      while (needsLooks(chain)) {
        await clock.sleep(chain.settings.probe.intervalMs, { signal: closing.signal })
        if (needsLooks(chain)) await Promise.all(chain.dueProbes().map((due) => look(chain, due)))
      }
    } finally {
      // At once: a target that fails from now on begins another loop.
      watched.delete(chain)
    }
  }

  return {
    watch(chain, model) {
      if (closing.signal.aborted || chains.isGone(chain)) return
      warm(chain, model)
      const loop = watched.get(chain)
      if (loop !== undefined) {
        loop.model = model
        return
      }
      if (!needsLooks(chain)) return
      const done = Promise.resolve()
        .then(() => run(chain))
        .catch(() => undefined)
      watched.set(chain, { model, done })
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
