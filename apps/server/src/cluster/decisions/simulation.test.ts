import { expect, it } from 'vitest'
import { simulate } from './__fixtures__/simulation.ts'

it('runs a small cluster through hours of requests and failures', () => {
  const measures = simulate({
    seed: 7,
    nodes: 25,
    models: 150,
    requests: 2000,
    days: 0.25,
    frontEnds: 2,
    failureHours: 8,
    policy: 'prefix_cache',
  })
  expect(measures.requests).toBeGreaterThan(1200)
  expect(measures.nodeFailures).toBeGreaterThan(10)
  expect(measures.evictions).toBeGreaterThan(5)
  expect(measures.overcommitted).toBe(0)
  expect(measures.unplaced).toBe(0)
  expect(measures.hitShare / measures.boundShare).toBeGreaterThan(0.9)
  // A failure is repaired within the rounds that follow it.
  expect(measures.roundsBelowMin).toBeLessThan(10 * measures.nodeFailures)
})
