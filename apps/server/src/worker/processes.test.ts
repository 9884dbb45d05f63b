import { SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import { expect, it } from 'vitest'
import type { BackendProgram } from '../backends/catalog.ts'
import type { BackendEndpoint } from '../backends/endpoint.ts'
import type { RunningBackend } from '../backends/running-backend.ts'
import { createPortRange } from './port-range.ts'
import { createWorkerProcesses } from './processes.ts'

const signal = new AbortController().signal
const program: BackendProgram = { kind: 'spawn', name: 'b', command: '/b', args: [], cwd: '/', transport: 'unix' }
const options = { backend: 'b', program, force: false, signal }

/** Processes that start at once. @param taken ports at which others listen */
function open({
  taken = [],
  last = 50_060,
  host = '0.0.0.0',
}: Partial<{ taken: number[]; last: number; host: string }> = {}) {
  const endpoints: BackendEndpoint[] = []
  const ends: (() => void)[] = []
  let now = 0
  const processes = createWorkerProcesses({
    supervisor: {
      async start(_, { endpoint }) {
        if (endpoint === undefined) throw new Error('it has no endpoint')
        if (taken.includes(endpoint.port ?? 0)) throw new SvcError('internal', 'taken', { code: 'address_taken' })
        endpoints.push(endpoint)
        const gone = createDeferred<{ code: number; signal: null; lastLines: [] }>()
        let hasExited = false
        const end = (): void => {
          hasExited = true
          gone.resolve({ code: 0, signal: null, lastLines: [] })
        }
        ends.push(end)
        const running: Partial<RunningBackend> = {
          program,
          exited: gone.promise,
          hasExited: () => hasExited,
          stop: async () => end(),
        }
        return running as RunningBackend
      },
    },
    ports: createPortRange(50_051, last, () => now),
    host,
    advertised: { host: 'outside', firstPort: 9000 },
    firstPort: 50_051,
    token: 'token',
  })
  return {
    processes,
    endpoints,
    ends,
    pass(ms: number) {
      now += ms
    },
  }
}

it('gives each replica a port of its own, and front ends the address that they can use', async () => {
  const { processes, endpoints } = open()
  const first = await processes.start({ model: 'm', index: 0 }, options)
  expect(first).toMatchObject({ key: 'm#0', address: 'outside:9000' })
  expect(await processes.start({ model: 'm', index: 0 }, options)).toBe(first)
  expect(await processes.start({ model: 'm', index: 1 }, options)).toMatchObject({ address: 'outside:9001' })
  expect(endpoints[0]).toMatchObject({
    address: '0.0.0.0:50051',
    clientAddress: '127.0.0.1:50051',
    port: 50_051,
    token: 'token',
  })
  expect(processes.list().map(({ key }) => key)).toEqual(['m#0', 'm#1'])
})

it('starts one process for requests that come together', async () => {
  const { processes, endpoints } = open()
  const start = () => processes.start({ model: 'm', index: 0 }, options)
  const [one, two] = await Promise.all([start(), start()])
  expect(one).toBe(two)
  expect(endpoints).toHaveLength(1)
})

it('starts again what has ended, what runs another backend, and what is forced', async () => {
  const { processes, endpoints, ends, pass } = open()
  const replica = { model: 'm', index: 0 }
  await processes.start(replica, options)
  ends[0]?.()
  expect(processes.find('m#0')).toBeUndefined()
  expect(processes.list()).toEqual([])
  await new Promise((resolve) => setImmediate(resolve))
  pass(15_000)
  // The port of a process stays its own.
  expect(await processes.start(replica, options)).toMatchObject({ address: 'outside:9000' })
  const other = await processes.start(replica, { ...options, backend: 'c' })
  expect(other).toMatchObject({ backend: 'c', address: 'outside:9001' })
  expect(await processes.start(replica, { ...options, backend: 'c', force: true })).not.toBe(other)
  expect(endpoints).toHaveLength(4)
  expect(processes.list()).toHaveLength(1)
})

it('gives nobody a process that is about to end', async () => {
  const { processes, endpoints } = open()
  const replica = { model: 'm', index: 0 }
  const retired = await processes.start(replica, options)
  processes.retire(retired)
  const next = await processes.start(replica, options)
  expect(next).not.toBe(retired)
  expect(retired.running.hasExited()).toBe(true)
  const stopping = processes.stop(next)
  expect(await processes.start(replica, options)).not.toBe(next)
  await stopping
  expect(processes.list()).toHaveLength(1)
  expect(endpoints).toHaveLength(3)
})

it('counts a process that is starting among the users of its backend', async () => {
  const { processes } = open()
  const running = await processes.start({ model: 'm', index: 0 }, options)
  const started = processes.start({ model: 'm', index: 1 }, options)
  const failed = processes.start({ model: 'n', index: 0 }, { ...options, signal: AbortSignal.abort() })
  await processes.start({ model: 'o', index: 0 }, { ...options, backend: 'c' })
  const another = processes.start({ model: 'm', index: 2 }, options)
  const users = await processes.listUsers(({ backend }) => backend === 'b')
  expect(users).toEqual([running, await started, await another])
  await expect(failed).rejects.toThrow()
})

it('passes over ports at which others listen, and says when none is left', async () => {
  const { processes } = open({ taken: [50_051, 50_052], last: 50_053, host: '10.0.0.1' })
  expect(await processes.start({ model: 'm', index: 0 }, options)).toMatchObject({ address: 'outside:9002' })
  await expect(processes.start({ model: 'm', index: 1 }, options)).rejects.toMatchObject({
    kind: 'unavailable',
    code: 'ports_exhausted',
  })
})

it('gives the port back when a start fails', async () => {
  const { processes, pass } = open({ last: 50_051, taken: [50_051] })
  await expect(processes.start({ model: 'm', index: 0 }, options)).rejects.toMatchObject({ code: 'ports_exhausted' })
  pass(15_000)
  await expect(processes.start({ model: 'n', index: 0 }, options)).rejects.toMatchObject({ code: 'ports_exhausted' })
})
