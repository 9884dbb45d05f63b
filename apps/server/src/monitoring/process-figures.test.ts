import { setTimeout as sleep } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { expect, it } from 'vitest'
import { collectProcessFigures } from './process-figures.ts'

async function seconds(registry: Registry, part: string): Promise<number> {
  const text = await registry.getSingleMetricAsString(`nodejs_eventloop_lag${part}_seconds`)
  return Number(new RegExp(`^nodejs_eventloop_lag${part}_seconds (\\S+)$`, 'm').exec(text)?.[1])
}

it('shows the pause of a loop that was held', async () => {
  const registry = new Registry()
  collectProcessFigures(registry)
  await sleep(20)
  const until = performance.now() + 400
  while (performance.now() < until);
  await sleep(20)
  const whole = await registry.metrics()
  const held = Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(whole)?.[1])
  expect(held).toBeGreaterThan(0.14)
  expect(held).toBeLessThan(10)
})

it('keeps the names that dashboards know, and the other figures', async () => {
  const registry = new Registry()
  collectProcessFigures(registry)
  const text = await registry.metrics()
  for (const part of ['', '_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99']) {
    expect(text).toMatch(new RegExp(`^nodejs_eventloop_lag${part}_seconds \\S+$`, 'm'))
  }
  expect(text).toContain('process_cpu_seconds_total')
  expect(text).toContain('nodejs_gc_duration_seconds')
})

it('does not count the time between two looks as lag', async () => {
  const registry = new Registry()
  collectProcessFigures(registry)
  await sleep(1100)
  await registry.metrics()
  expect(await seconds(registry, '_min')).toBeLessThan(0.05)
})
