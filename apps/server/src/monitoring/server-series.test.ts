import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import { registerServerSeries } from './register-server-series.ts'
import { ServerSeries } from './server-series.ts'

describe('series by model', () => {
  it('are those of 200 models, and one of all others', async () => {
    const series = new ServerSeries()
    for (let index = 0; index < 100_000; index += 1) {
      series.countRequest(`model-${index}`, 'completed')
      series.observeFirstToken(`model-${index}`, 1)
    }
    const registry = new Registry()
    registerServerSeries(registry, series)
    const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith('svc_requests_total{'))
    expect(lines).toHaveLength(201)
    expect(lines).toContain('svc_requests_total{model="other",outcome="completed"} 99800')
  })
})
