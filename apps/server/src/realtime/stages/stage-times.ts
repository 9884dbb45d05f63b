import type { RealtimeStage } from '../../monitoring/server-series.ts'
import type { Clock } from '../../ports.ts'

/** Takes the time of a stage, in seconds. */
export type ObserveStage = (stage: RealtimeStage, seconds: number) => void

/** Measures stages. */
export interface StageTimes {
  /** Measures work to its end. A failure is not counted. */
  whole<T>(stage: RealtimeStage, work: () => Promise<T>): Promise<T>
  /** Measures an iteration to its end. */
  all<T>(stage: RealtimeStage, items: AsyncIterable<T>): AsyncGenerator<T, void>
  /** Measures an iteration to its first item that counts. */
  first<T>(stage: RealtimeStage, items: AsyncIterable<T>, counts?: (item: T) => boolean): AsyncGenerator<T, void>
}

/** Creates the measures. */
export function createStageTimes(clock: Pick<Clock, 'monotonic'>, observe: ObserveStage): StageTimes {
  const since = (startedAt: number): number => (clock.monotonic() - startedAt) / 1000
  return {
    async whole(stage, work) {
      const startedAt = clock.monotonic()
      const done = await work()
      observe(stage, since(startedAt))
      return done
    },
    async *all(stage, items) {
      const startedAt = clock.monotonic()
      yield* items
      observe(stage, since(startedAt))
    },
    async *first(stage, items, counts = () => true) {
      const startedAt = clock.monotonic()
      let isMeasured = false
      for await (const item of items) {
        if (!isMeasured && counts(item)) {
          isMeasured = true
          observe(stage, since(startedAt))
        }
        yield item
      }
    },
  }
}
