import { SvcError } from '@svc/errors'
import { createFailoverGroup, type FailoverEvent, type FailoverGroup, type FailoverSettings } from '@svc/proxy/failover'
import { chainSettingsOf } from '../../catalog/chain.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Clock } from '../../ports.ts'

/** How the targets of chains are, by the names of the chains. */
export interface Chains {
  /**
   * The chain of a model. What is known of its targets outlives changes of its file that leave the chain as it was; a pin
   * outlives all that leave its target in the chain.
   *
   * @throws {SvcError} `model_load_failed` (internal) naming the setting at fault
   */
  of(model: ModelConfig): FailoverGroup
  /**
   * Takes note that the file of a name has changed: a chain that was asked for before follows it now rather than with its
   * next request, so that those who watch are told.
   *
   * @param model undefined where it is no chain any more
   */
  follow(name: string, model: ModelConfig | undefined): void
  /** Whether its file is gone, or another chain was asked for under its name since: it is of requests before that. */
  isGone(chain: FailoverGroup): boolean
  /** Those that have been asked for so far and are still there, by name. */
  known(): ReadonlyMap<string, FailoverGroup>
}

/** What becomes of a chain: a change of its own, or `reset`: its file is another one, and what was known of it is not. */
export type ChainEvent = FailoverEvent | { readonly type: 'reset' }

/** What {@link createChains} needs. */
export interface ChainsOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly onEvent: (name: string, event: ChainEvent) => void
  /** Whether the model of a name is a chain now. */
  readonly isThere: (name: string) => boolean
}

/** Chains whose models may be gone are forgotten beyond so many. */
const MAX_CHAINS = 256

/** No chains so far: each is made with its first request. */
export function createChains({ clock, onEvent, isThere }: ChainsOptions): Chains {
  const byModel = new WeakMap<ModelConfig, KnownChain>()
  const byName = new Map<string, KnownChain>()
  const replaced = new WeakSet<FailoverGroup>()
  const names = new WeakMap<FailoverGroup, string>()
  const make = (name: string, settings: FailoverSettings, pinned: string | undefined): FailoverGroup => {
    const chain = createFailoverGroup({
      settings,
      now: () => clock.monotonic(),
      onEvent: (event) => onEvent(name, event),
    })
    // Somebody wanted it: only that target itself can take it back.
    if (settings.targets.some(({ model }) => model === pinned)) chain.pin(pinned)
    return chain
  }
  /** The chain that a model has by its settings; the one that its name had before, where these are the same. */
  const find = (model: ModelConfig, before: KnownChain | undefined): KnownChain => {
    const settings = chainSettingsOf(model)
    const key = JSON.stringify(settings)
    if (before?.key === key) return before
    const chain = make(model.name, settings, before?.chain.pinned)
    names.set(chain, model.name)
    if (before !== undefined) onEvent(model.name, { type: 'reset' })
    return { key, chain }
  }
  const remember = (name: string, known: KnownChain, before: KnownChain | undefined): void => {
    if (before !== undefined) replaced.add(before.chain)
    replaced.delete(known.chain)
    byName.delete(name)
    byName.set(name, known)
    const [oldest] = byName.keys()
    if (byName.size > MAX_CHAINS && oldest !== undefined) byName.delete(oldest)
  }
  const chainOf = (model: ModelConfig): FailoverGroup => {
    const before = byName.get(model.name)
    const known = byModel.get(model) ?? find(model, before)
    byModel.set(model, known)
    if (known !== before) remember(model.name, known, before)
    return known.chain
  }
  return {
    of: chainOf,
    follow(name, model) {
      if (!byName.has(name)) return
      try {
        if (model === undefined) onEvent(name, { type: 'reset' })
        else chainOf(model)
      } catch (error) {
        if (!SvcError.is(error)) throw error
        // It cannot be any more, and whoever looks at it is told why.
        onEvent(name, { type: 'reset' })
      }
    },
    isGone: (chain) => replaced.has(chain) || !isThere(names.get(chain) ?? ''),
    known: () => new Map([...byName].filter(([name]) => isThere(name)).map(([name, { chain }]) => [name, chain])),
  }
}

interface KnownChain {
  /** The settings that it was made with, as text. */
  readonly key: string
  readonly chain: FailoverGroup
}
