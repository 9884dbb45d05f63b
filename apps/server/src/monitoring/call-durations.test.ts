import fc from 'fast-check'
import { Histogram, Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { CallDurations } from './call-durations.ts'
import { CallSeries } from './server-series.ts'

it("exports the same as the library's histogram for the same calls", async () => {
  const call = fc.record({
    method: fc.constantFrom('GET', 'POST'),
    path: fc.constantFrom('/a', '/b/:id'),
    seconds: fc.oneof(fc.double({ min: 0, max: 100, noNaN: true }), fc.constantFrom(0, 0.005, 0.01, 60, 60.001)),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(call, { maxLength: 40 }), async (calls) => {
      const [own, theirs] = [new Registry(), new Registry()]
      const durations = new CallSeries()
      new CallDurations(own, durations)
      const histogram = new Histogram({
        name: 'api_call',
        help: 'Duration of API calls in seconds by HTTP method and route.',
        labelNames: ['method', 'path'],
        buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60],
        registers: [theirs],
      })
      for (const { method, path, seconds } of calls) {
        durations.add(method, path, seconds)
        histogram.observe({ method, path }, seconds)
      }
      const lines = async (registry: Registry) => (await registry.metrics()).trim().split('\n').toSorted()
      expect(await lines(own)).toEqual(await lines(theirs))
    }),
    { numRuns: 50 },
  )
})

it('has a series before its first call where one is asked for', async () => {
  const registry = new Registry()
  const calls = new CallSeries()
  new CallDurations(registry, calls)
  calls.find('GET', '/healthz')
  expect(await registry.metrics()).toContain('api_call_count{method="GET",path="/healthz"} 0')
})
