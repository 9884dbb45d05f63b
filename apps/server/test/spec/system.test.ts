import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { eventually } from '@svc/test-kit'
import { describe, expect, vi } from 'vitest'
import { type SystemFacts, systemRoutes } from '../../src/api/admin/system/system.ts'
import { createMetrics } from '../../src/monitoring/metrics.ts'
import { formatVersion } from '../../src/version.ts'
import { startTestServer } from '../support/server.ts'
import { startTestApp } from '../support/test-app.ts'
import { verifies } from './verifies.ts'

interface LoadedModel {
  readonly id: string
  readonly backend?: string
  readonly process?: { readonly pid: number; readonly cpu_percent?: number; readonly started_at: string }
  readonly size_vram?: number
}

interface System {
  readonly backends: readonly string[]
  readonly loaded_models: readonly LoadedModel[]
}

const FIGURES = {
  pid: 7,
  rssBytes: 2048,
  virtualBytes: 4096,
  memoryPercent: 0.5,
  cpuPercent: 12.5,
  startedAt: '2026-01-02T03:04:05.000Z',
}
const RESIDENT = { name: 'm', backend: 'mock', pid: 7, startedAt: 0, inFlight: 0 }

/** The system routes on facts of the test. */
function startSystem(facts: Partial<SystemFacts>) {
  return startTestApp(
    systemRoutes({
      version: '0.0.0 (0000000)',
      readMetrics: async () => (await createMetrics().registry()).metrics(),
      metricsAccess: undefined,
      backendNames: () => ['mock'],
      loaded: () => [RESIDENT],
      readProcess: () => Promise.resolve(FIGURES),
      readVram: () => Promise.resolve(undefined),
      readResources: () => Promise.reject(new Error('nobody asks')),
      problems: () => ({ load_failures: [], model_problems: [] }),
      readState: () => Promise.resolve(2),
      ...facts,
    }),
  )
}

describe('GET /system', () => {
  verifies(
    [
      'system:route:shape',
      'system:backends:names',
      'system:loaded:id',
      'system:loaded:backend',
      'residency:load:first-request',
    ],
    'lists backends, and a model from its first use on',
    async () => {
      await using server = await startTestServer()
      await server.model('m')
      const read = async (): Promise<System> => (await server.call('/system')).json() as System
      expect(await read()).toEqual({ backends: expect.arrayContaining(['mock', 'pattern']), loaded_models: [] })
      expect((await server.chat('m')).status).toBe(200)
      expect((await read()).loaded_models).toMatchObject([{ id: 'm', backend: 'mock' }])
    },
  )

  verifies(
    [
      'system:process:pid',
      'system:process:rss',
      'system:process:memory-percent',
      'system:process:cpu-percent',
      'system:process:started-at',
    ],
    'shows the process of a loaded model under the names of the wire',
    async () => {
      await using app = await startSystem({})
      expect((await app.call('/system')).json()).toEqual({
        backends: ['mock'],
        loaded_models: [
          {
            id: 'm',
            backend: 'mock',
            process: { pid: 7, rss_bytes: 2048, memory_percent: 0.5, cpu_percent: 12.5, started_at: FIGURES.startedAt },
          },
        ],
      })
    },
  )

  verifies('system:loaded:backend-omitted', 'leaves an unknown backend out', async () => {
    await using app = await startSystem({ loaded: () => [{ ...RESIDENT, backend: '', pid: undefined }] })
    expect((await app.call('/system')).json()).toEqual({ backends: ['mock'], loaded_models: [{ id: 'm' }] })
  })

  verifies(
    ['system:process:not-local', 'system:vram:external'],
    'asks for nothing about a backend that runs elsewhere',
    async () => {
      const asked = vi.fn(() => Promise.resolve(undefined))
      const loaded = [{ ...RESIDENT, pid: undefined }]
      await using app = await startSystem({ loaded: () => loaded, readProcess: asked, readVram: asked })
      expect((await app.call('/system')).json()).toEqual({
        backends: ['mock'],
        loaded_models: [{ id: 'm', backend: 'mock' }],
      })
      expect(asked).not.toHaveBeenCalled()
    },
  )

  verifies('system:process:unreadable', 'leaves a process out that cannot be read', async () => {
    await using app = await startSystem({ readProcess: () => Promise.resolve(undefined) })
    expect((await app.call('/system')).json()).toEqual({
      backends: ['mock'],
      loaded_models: [{ id: 'm', backend: 'mock' }],
    })
  })

  verifies(
    ['system:vram:bytes', 'system:vram:zero', 'system:vram:snapshot'],
    'shows device memory as it is at each call: a figure, 0, or nothing',
    async () => {
      const readings = [4096, 0, undefined]
      await using app = await startSystem({ readVram: () => Promise.resolve(readings.shift()) })
      const read = async (): Promise<LoadedModel | undefined> =>
        ((await app.call('/system')).json() as System).loaded_models[0]
      expect((await read())?.size_vram).toBe(4096)
      expect((await read())?.size_vram).toBe(0)
      expect(await read()).not.toHaveProperty('size_vram')
    },
  )
})

describe('GET /version', () => {
  verifies(['version:route:shape', 'versioning:format:version-and-commit'], 'is version and commit', async () => {
    expect(formatVersion({ version: '1.2.3', commit: 'abcdef0' })).toBe('1.2.3 (abcdef0)')
    await using app = await startSystem({ version: '1.2.3 (abcdef0)' })
    expect((await app.call('/version')).json()).toEqual({ version: '1.2.3 (abcdef0)' })
  })
})

describe('GET /metrics', () => {
  verifies(
    ['metrics:route:prometheus', 'metrics:api-call:always', 'metrics:api-call:histogram'],
    'has the duration of calls by method and route, from the first scrape on',
    async () => {
      await using server = await startTestServer()
      const first = await server.call('/metrics')
      expect(first.headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/)
      expect(first.text).toContain('# TYPE api_call histogram')
      expect(first.text).toMatch(/^api_call_count\{/m)
      await server.call('/v1/models/nobody')
      const second = (await server.call('/metrics')).text
      expect(second).toContain('api_call_count{method="GET",path="/v1/models/:id"} 1')
      expect(second).toMatch(/^api_call_bucket\{le="0\.005",method="GET",path="\/v1\/models\/:id"\}/m)
    },
  )

  verifies('metrics:route:off', 'is gone when switched off', async () => {
    await using server = await startTestServer({ env: { SVC_DISABLE_METRICS_ENDPOINT: 'true' } })
    expect((await server.call('/metrics')).status).toBe(404)
  })

  verifies('metrics:access:any', 'can be opened to everyone with a key', async () => {
    await using server = await startTestServer({ flags: ['--api-keys=k'], env: { SVC_METRICS_ACCESS: 'any' } })
    const document = (await server.call('/swagger/doc.json')).json()
    expect(document).toMatchObject({ paths: { '/metrics': { get: { 'x-svc-access': 'any' } } } })
    expect((await server.call('/metrics')).status).toBe(401)
    expect((await server.call('/metrics', { headers: { 'x-api-key': 'k' } })).status).toBe(200)
  })
})

describe('/api/settings', () => {
  verifies(
    ['settings:route:read', 'settings:route:write', 'settings:default-detectors:kept', 'flags:config-dir:files'],
    'shows and changes settings, and keeps them in the configuration folder',
    async () => {
      await using server = await startTestServer()
      const patch = { threads: 3, pii_default_detectors: ['names', 'keys'] }
      const changed = await server.post('/api/settings', patch)
      expect([changed.status, changed.json()]).toEqual([200, expect.objectContaining({ success: true })])
      expect((await server.call('/api/settings')).json()).toMatchObject(patch)
      const file = await readFile(join(server.configDir, 'runtime_settings.json'), 'utf8')
      expect(JSON.parse(file)).toEqual(patch)
      await using restarted = await startTestServer({ configFiles: { 'runtime_settings.json': file } })
      expect((await restarted.call('/api/settings')).json()).toMatchObject(patch)
    },
  )

  verifies('legacy-key:source:settings', 'takes shared keys, which apply at once', async () => {
    await using server = await startTestServer()
    expect((await server.call('/v1/models')).status).toBe(200)
    expect((await server.post('/api/settings', { api_keys: ['from-settings'] })).status).toBe(200)
    await eventually(async () => expect((await server.call('/v1/models')).status).toBe(401))
    expect((await server.call('/v1/models', { headers: { 'x-api-key': 'from-settings' } })).status).toBe(200)
  })

  verifies('flags:disable-runtime-settings:off', 'is gone with --disable-runtime-settings', async () => {
    await using server = await startTestServer({
      flags: ['--disable-runtime-settings'],
      configFiles: { 'runtime_settings.json': '{"api_keys": ["saved"]}' },
    })
    expect((await server.call('/api/settings')).status).toBe(404)
    expect((await server.call('/v1/models')).status).toBe(200)
  })
})

describe('GET /api/resources', () => {
  verifies(
    ['resources:route:read', 'resources:reading:cpu', 'resources:reading:disk', 'resources:reading:memory'],
    'shows admins the resources of the host',
    async () => {
      await using server = await startTestServer({ flags: ['--api-keys=admin-key'] })
      expect((await server.call('/api/resources')).status).toBe(401)
      const reply = await server.call('/api/resources', { headers: { authorization: 'Bearer admin-key' } })
      expect(reply.status).toBe(200)
      expect(reply.json()).toMatchObject({
        cpu: { logical_cores: expect.any(Number), load_1: expect.any(Number) },
        disk: { total: expect.any(Number), used: expect.any(Number), available: expect.any(Number) },
        gpus: expect.any(Array),
        ram: { total: expect.any(Number), used: expect.any(Number) },
      })
    },
  )
})
