import { SvcError } from '@svc/errors'
import type { FailoverGroup, TargetState } from '@svc/proxy/failover'
import type { FailoverChain, FailoverChange, FailoverTargetState } from '@svc/wire/native'
import { encodeSseJson } from '@svc/wire/sse'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { FailoverGroups } from '../../../inference/serving/failover/groups.ts'
import type { FailoverNotice } from '../../../inference/serving/failover/watch.ts'
import type { Clock } from '../../../ports.ts'

/** Options of {@link describeChain}. */
export interface DescribeParts {
  readonly groups: FailoverGroups
  readonly clock: Clock
}

/** Describes a failover group. A group with faulty settings has an error instead of targets. */
export function describeChain(model: ModelConfig, parts: DescribeParts): FailoverChain {
  try {
    return toWireChain(model.name, parts.groups.get(model), parts.clock)
  } catch (error) {
    if (!SvcError.is(error) || error.code !== 'model_load_failed') throw error
    return { name: model.name, serving: null, pinned: null, targets: [], error: error.message }
  }
}

function toWireChain(name: string, group: FailoverGroup, clock: Clock): FailoverChain {
  const { serving, pinned = null, states } = group
  // Groups use monotonic time; the reply shows the time of day.
  const offset = clock.now() - clock.monotonic()
  const toTime = (monotonic: number): string => new Date(offset + monotonic).toISOString()
  return { name, serving, pinned, targets: states.map((state) => toWireTarget(state, toTime)) }
}

function toWireTarget(state: TargetState, toTime: (monotonic: number) => string): FailoverTargetState {
  const { model, status, since, until, goodProbes, warm } = state
  return {
    model,
    status,
    since: toTime(since),
    ...(until === undefined ? {} : { resting_until: toTime(until) }),
    good_probes: goodProbes,
    warm,
  }
}

/** Converts a change for its event. @param all gives the state of every group, which `reset` contains */
export function toWireChange(
  { group, event, at }: FailoverNotice,
  all: () => readonly FailoverChain[],
): FailoverChange {
  const base = { at: new Date(at).toISOString(), chain: group }
  switch (event.type) {
    case 'reset':
      return { type: 'chains', chains: [...all()] }
    case 'target-state':
      return { type: 'state', ...base, target: event.model, from: event.from, to: event.to }
    case 'switch':
      return { type: 'switch', ...base, from: event.from, to: event.to }
    case 'pin':
      return { type: 'pin', ...base, target: event.model ?? null }
  }
}

/** Converts a change to a server-sent event. */
export function toFrame(change: FailoverChange): string {
  return encodeSseJson(change, change.type)
}
