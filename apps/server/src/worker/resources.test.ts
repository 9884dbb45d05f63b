import { createFakeClock, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { heartbeat, registration } from '../cluster/contract/registration.ts'
import { checkRegistration } from '../cluster/nodes/report.ts'
import type { DeviceMemory } from '../monitoring/memory-pressure.ts'
import { createWorkerResources, toRegistration } from './resources.ts'
import type { WorkerConfig } from './worker-config.ts'

/** Names of the fields that the worker of the other system sends, as they were captured. */
const CAPTURED = [
  ...['address', 'available_disk', 'available_ram', 'available_vram', 'capability', 'gpu_compute_capability'],
  ...['gpu_vendor', 'http_address', 'labels', 'max_replicas_per_model', 'name', 'token', 'total_disk', 'total_ram'],
  ...['total_vram', 'vram_budget'],
]
const CONFIG: WorkerConfig = {
  registerTo: 'http://front',
  name: 'w1',
  token: 'token',
  address: '127.0.0.1:26051',
  httpAddress: '127.0.0.1:26050',
  serve: { host: '127.0.0.1', firstPort: 26_051, lastPort: 65_535 },
  http: { host: '127.0.0.1', port: 26_050 },
  heartbeatMs: 10_000,
  labels: { zone: 'a', tier: 'fast', 'node.replica-slots': '9' },
  maxReplicas: 2,
  vramBudget: '50%',
  bus: { url: 'nats://bus', tls: {}, credentials: undefined, needsCredentials: true },
}
const GIB = 2 ** 30

const open = (modelsPath: string, devices: readonly DeviceMemory[], capability = 'default') =>
  createWorkerResources({
    modelsPath,
    capability,
    clock: createFakeClock(),
    memory: {
      devices: async () => devices,
      main: async () => ({ totalBytes: 8 * GIB, usedBytes: 3 * GIB }),
    },
    computeCapability: async () => (devices.length > 0 ? '9.0' : ''),
  })

it('registers with the fields of the contract, and front ends accept them', async () => {
  await using dir = await tempDir()
  const body = await toRegistration(CONFIG, open(dir.path, []))
  expect(Object.keys(body).sort()).toEqual([...CAPTURED, 'node_type'].sort())
  expect(body).toMatchObject({
    total_ram: 8 * GIB,
    available_ram: 5 * GIB,
    total_vram: 0,
    gpu_vendor: '',
    gpu_compute_capability: '',
    capability: 'default',
    labels: { 'node.replica-slots': '2', tier: 'fast', zone: 'a' },
  })
  expect(checkRegistration(registration.parse(JSON.parse(JSON.stringify(body))))).toMatchObject({
    kind: 'backend',
    maxReplicas: 2,
    vramBudget: '50%',
    resources: { totalRam: 8 * GIB, totalDisk: expect.any(Number) },
  })
})

it('sends signs of life with what changes; memory of devices only where there is some', async () => {
  await using dir = await tempDir()
  const plain = await open(dir.path, []).readChanging()
  expect(Object.keys(plain).sort()).toEqual(['available_disk', 'available_ram', 'total_disk'])
  expect(plain.available_disk).toBeGreaterThan(0)
  const device: DeviceMemory = { vendor: 'nvidia', name: 'gpu', totalBytes: 24 * GIB, usedBytes: 4 * GIB }
  const both = await open(dir.path, [device, device]).readChanging()
  expect(both).toMatchObject({ total_vram: 48 * GIB, available_vram: 40 * GIB, gpu_vendor: 'nvidia' })
  expect(heartbeat.safeParse(both).success).toBe(true)
  expect(await open(dir.path, [device]).readAll()).toMatchObject({ gpu_compute_capability: '9.0' })
})

it('tells a disk that cannot be read as one that is not known', async () => {
  expect(await open('/missing/folder', []).readChanging()).toMatchObject({ total_disk: 0, available_disk: 0 })
})
