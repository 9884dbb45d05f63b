import { describe, expect, it } from 'vitest'
import { call } from '../../test/support/test-app.ts'
import { systemClock } from '../clock.ts'
import { openDiagnostics } from './diagnostics.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

async function started() {
  const diagnostics = await openDiagnostics({ address: { host: '127.0.0.1', port: 0 }, clock: systemClock, log })
  const base = new URL(diagnostics.url).origin
  return { diagnostics, base }
}

describe('openDiagnostics', () => {
  it('records a CPU profile and a heap profile', async () => {
    const { diagnostics, base } = await started()
    const profile = await call(base, '/debug/pprof/profile?seconds=0.05')
    expect(profile.status).toBe(200)
    expect(profile.json()).toMatchObject({ nodes: expect.any(Array), startTime: expect.any(Number) })
    expect((await call(base, '/debug/pprof/heap?seconds=0.05')).json()).toMatchObject({ head: expect.any(Object) })
    await diagnostics.close()
  })

  it('shows figures and an index', async () => {
    const { diagnostics, base } = await started()
    expect((await call(base, '/debug/pprof/runtime')).json()).toMatchObject({ memory: { rss: expect.any(Number) } })
    expect((await call(base, '/debug/pprof/')).text).toContain('CPU profile')
    await diagnostics.close()
  })

  it('refuses other names, methods, paths and lengths', async () => {
    const { diagnostics, base } = await started()
    const statuses = [
      (await call(base, '/debug/pprof/', { headers: { host: 'localhost' } })).status,
      (await call(base, '/debug/pprof/heap', { headers: { 'sec-fetch-site': 'same-site' } })).status,
      (await call(base, '/debug/pprof/', { headers: { 'sec-fetch-site': 'cross-site' } })).status,
      (await call(base, '/debug/pprof/', { headers: { 'sec-fetch-site': 'none' } })).status,
      (await call(base, '/debug/pprof/', { method: 'POST' })).status,
      (await call(base, '/other')).status,
      (await call(base, '/debug/pprof/profile?seconds=61')).status,
      (await call(base, '/debug/pprof/profile?seconds=x')).status,
    ]
    expect(statuses).toEqual([421, 403, 403, 200, 405, 404, 400, 400])
    await diagnostics.close()
  })

  it('records one at a time, and ends a recording when it is closed', async () => {
    const { diagnostics, base } = await started()
    const first = call(base, '/debug/pprof/profile?seconds=60').then(
      () => 'answered',
      () => 'ended',
    )
    await expect.poll(async () => (await call(base, '/debug/pprof/heap?seconds=1')).status).toBe(409)
    await diagnostics.close()
    expect(await first).toBe('ended')
  })
})
