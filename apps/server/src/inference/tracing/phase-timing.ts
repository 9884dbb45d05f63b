import type { Clock } from '../../ports.ts'
import type { IncomingRequest, StageName, StageObserver } from '../core/pipeline.ts'

/** Logs the duration of each stage of a request, in milliseconds, when the request has ended. */
export function createPhaseTiming({ clock }: { readonly clock: Pick<Clock, 'monotonic'> }): StageObserver {
  const begun = new WeakMap<IncomingRequest, [stage: StageName, startedAt: number][]>()
  return (stage, { incoming }) => {
    const stages = begun.get(incoming)
    if (stages !== undefined) {
      stages.push([stage, clock.monotonic()])
      return undefined
    }
    const own: [StageName, number][] = [[stage, clock.monotonic()]]
    begun.set(incoming, own)
    // The first stage ends last.
    return () => {
      const ends = [...own.slice(1).map(([, startedAt]) => startedAt), clock.monotonic()]
      const phases = own.map(([name, startedAt], index) => [name, toMs((ends[index] ?? startedAt) - startedAt)])
      incoming.context.log.info({ phases: Object.fromEntries(phases) }, 'phases of a request')
    }
  }
}

/** Runs two observers of stages. */
export function joinObservers(
  one: StageObserver | undefined,
  other: StageObserver | undefined,
): StageObserver | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return (stage, request) => {
    const [first, second] = [one(stage, request), other(stage, request)]
    return () => {
      second?.()
      first?.()
    }
  }
}

const toMs = (milliseconds: number): number => Math.round(milliseconds * 1000) / 1000
