import { SvcError } from '@svc/errors'
import { createFailoverGroup, type FailoverGroup, type FailoverSettings } from '@svc/proxy/failover'
import type { FailoverGroupEvent } from '../../../bus/subjects.ts'
import { loadFailoverSettings } from '../../../catalog/failover-settings.ts'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { Clock } from '../../../ports.ts'

/** State of failover groups by name. */
export interface FailoverGroups {
  /**
   * Gives the failover group of a model. The state of its targets survives changes of its file that leave the settings
   * of the group equal; a pin survives every change that keeps its target.
   *
   * @throws {SvcError} `model_load_failed` (internal) naming the setting at fault
   */
  get(model: ModelConfig): FailoverGroup
  /**
   * Applies a changed file to a group that has been asked for before. Without this call the group changes with its next
   * request, and subscribers learn of it late.
   *
   * @param model undefined when the name no longer belongs to a failover group
   */
  follow(name: string, model: ModelConfig | undefined): void
  /** Whether a group is outdated: its file is gone, or a newer group has taken its name. Only older requests use it. */
  isGone(group: FailoverGroup): boolean
  /** Groups that have been asked for and still exist, by name. */
  known(): ReadonlyMap<string, FailoverGroup>
}

/** Options of {@link createFailoverGroups}. */
export interface FailoverGroupsOptions {
  readonly clock: Pick<Clock, 'monotonic'>
  readonly onEvent: (name: string, event: FailoverGroupEvent) => void
  /** Whether a name is a failover group now. */
  readonly exists: (name: string) => boolean
}

/** Number of groups above which the ones whose models may be gone are forgotten. */
const MAX_GROUPS = 256

/** Creates a group with its first request. */
export function createFailoverGroups({ clock, onEvent, exists }: FailoverGroupsOptions): FailoverGroups {
  const byModel = new WeakMap<ModelConfig, KnownGroup>()
  const byName = new Map<string, KnownGroup>()
  const replaced = new WeakSet<FailoverGroup>()
  const names = new WeakMap<FailoverGroup, string>()
  const make = (name: string, settings: FailoverSettings, pinned: string | undefined): FailoverGroup => {
    const group = createFailoverGroup({
      settings,
      now: () => clock.monotonic(),
      onEvent: (event) => onEvent(name, event),
    })
    // An operator pinned the target, so the pin moves to the new group.
    if (settings.targets.some(({ model }) => model === pinned)) group.pin(pinned)
    return group
  }
  /**
   * Gives the group for a model's settings: the previous one of that name when the settings are equal, else a new one.
   */
  const find = (model: ModelConfig, before: KnownGroup | undefined): KnownGroup => {
    const settings = loadFailoverSettings(model)
    const key = JSON.stringify(settings)
    if (before?.key === key) return before
    const group = make(model.name, settings, before?.group.pinned)
    names.set(group, model.name)
    if (before !== undefined) onEvent(model.name, { type: 'reset' })
    return { key, group }
  }
  const remember = (name: string, known: KnownGroup, before: KnownGroup | undefined): void => {
    if (before !== undefined) replaced.add(before.group)
    replaced.delete(known.group)
    byName.delete(name)
    byName.set(name, known)
    const [oldest] = byName.keys()
    if (byName.size > MAX_GROUPS && oldest !== undefined) byName.delete(oldest)
  }
  const getGroup = (model: ModelConfig): FailoverGroup => {
    const before = byName.get(model.name)
    const known = byModel.get(model) ?? find(model, before)
    byModel.set(model, known)
    if (known !== before) remember(model.name, known, before)
    return known.group
  }
  return {
    get: getGroup,
    follow(name, model) {
      if (!byName.has(name)) return
      try {
        if (model === undefined) onEvent(name, { type: 'reset' })
        else getGroup(model)
      } catch (error) {
        if (!SvcError.is(error)) throw error
        // The settings no longer make a group; the error tells subscribers and callers why.
        onEvent(name, { type: 'reset' })
      }
    },
    isGone: (group) => replaced.has(group) || !exists(names.get(group) ?? ''),
    known: () => new Map([...byName].filter(([name]) => exists(name)).map(([name, { group }]) => [name, group])),
  }
}

interface KnownGroup {
  /** The settings of the group as JSON. */
  readonly key: string
  readonly group: FailoverGroup
}
