import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { silentLogger } from '../../backends/__fixtures__/silent-logger.ts'
import type { BackendProgram } from '../../backends/catalog.ts'
import type { RunningBackend } from '../../backends/running-backend.ts'
import type { WorkerBackends } from '../backends.ts'
import type { WorkerProcess, WorkerProcesses } from '../processes.ts'
import { answerDelete, answerInstall, answerList, answerUpgrade, stopBackend } from './backend-requests.ts'
import { createInstallProgress } from './install-progress.ts'
import { answerRunning, answerStop, answerUnload } from './model-requests.ts'
import type { RequestParts } from './parts.ts'

const signal = new AbortController().signal
const program: BackendProgram = { kind: 'spawn', name: 'mock', command: '/m', args: [], cwd: '/', transport: 'tcp' }

/** A worker with one process for each replica that is named. */
function open(
  options: {
    readonly running?: readonly number[]
    readonly backends?: Partial<WorkerBackends>
    freeError?: string
  } = {},
) {
  const running = new Map<string, WorkerProcess>()
  const events: string[] = []
  const add = (index: number, backend = 'mock'): WorkerProcess => {
    const made: WorkerProcess = {
      model: 'm1',
      index,
      key: `m1#${index}`,
      backend,
      address: `127.0.0.1:${26_051 + index}`,
      running: { program } as RunningBackend,
    }
    running.set(made.key, made)
    return made
  }
  for (const index of options.running ?? []) add(index)
  const processes: WorkerProcesses = {
    list: () => [...running.values()],
    find: (key) => running.get(key),
    listUsers: async (isMeant) => [...running.values()].filter(({ backend }) => isMeant({ backend, program })),
    start: async ({ index }, { backend, force }) => {
      events.push(`start ${index}${force ? ' force' : ''}`)
      return running.get(`m1#${index}`) ?? add(index, backend)
    },
    retire: ({ key }) => void events.push(`retire ${key}`),
    free: async ({ key }) => {
      events.push(`free ${key}`)
      return options.freeError
    },
    stop: async ({ key }) => {
      events.push(`stop ${key}`)
      running.delete(key)
    },
  }
  const unused = (): never => {
    throw new Error('not asked for')
  }
  const parts: RequestParts = {
    backends: {
      ensure: async () => program,
      upgrade: unused,
      remove: unused,
      list: async () => [],
      ...options.backends,
    },
    processes,
    oldCopies: { release: () => void events.push('release') },
    stagedFolders: [],
    storageFiles: undefined,
    publish: () => undefined,
    nodeId: 'n',
    stopWorker: unused,
    clock: createFakeClock(),
    logger: silentLogger,
  }
  return { parts, events, running }
}

describe('backend.install', () => {
  it('names the address of a replica, the same again for one that runs', async () => {
    const { parts, events } = open()
    const request = {
      backend: 'mock',
      model_id: 'm1',
      replica_index: 0,
      backend_galleries: '',
      force: false,
      op_id: '',
    }
    const reply = { success: true, address: '127.0.0.1:26051' }
    expect(await answerInstall(request, signal, parts)).toEqual(reply)
    expect(await answerInstall({ backend: 'mock', model_id: 'm1' }, signal, parts)).toEqual(reply)
    expect(await answerInstall({ ...request, replica_index: 1 }, signal, parts)).toEqual({
      success: true,
      address: '127.0.0.1:26052',
    })
    await answerInstall({ ...request, force: true }, signal, parts)
    expect(events).toEqual(['start 0', 'start 0', 'start 1', 'start 0 force'])
  })

  it('starts nothing without a model', async () => {
    const { parts, events } = open()
    expect(await answerInstall({ backend: 'mock', op_id: 'x' }, signal, parts)).toEqual({ success: true })
    expect(events).toEqual([])
  })

  it.each([
    [undefined, 'names no backend'],
    [{}, 'names no backend'],
    [{ backend: '' }, 'names no backend'],
    [{ backend: 'mock', model_id: 'm', replica_index: -1 }, 'out of range'],
    [{ backend: 'mock', model_id: 'm', replica_index: 1000 }, 'out of range'],
    [{ backend: 'mock', model_id: 'm'.repeat(600) }, 'out of range'],
  ])('refuses %j', async (payload, error) => {
    const { parts, events } = open()
    expect(await answerInstall(payload, signal, parts)).toEqual({
      success: false,
      error: expect.stringContaining(error),
    })
    expect(events).toEqual([])
  })

  it('replies why a backend could not be had', async () => {
    const { parts } = open({ backends: { ensure: () => Promise.reject(new Error('no backend found')) } })
    expect(await answerInstall({ backend: 'x', model_id: 'm1' }, signal, parts)).toEqual({
      success: false,
      error: 'no backend found',
    })
  })
})

describe('backend.upgrade and backend.delete', () => {
  it('end processes only once the new backend is here', async () => {
    const { parts, events } = open({
      running: [0, 1],
      backends: {
        async upgrade() {
          events.push('installed')
          return ['mock']
        },
      },
    })
    expect(await answerUpgrade({ backend: 'mock', op_id: 'o' }, signal, parts)).toEqual({
      success: true,
      stopped_process_keys: ['m1#0', 'm1#1'],
      reports_stopped_processes: true,
    })
    expect(events).toEqual(['installed', 'stop m1#0', 'stop m1#1', 'release'])
  })

  it('end no process when the download fails', async () => {
    const fail = (): Promise<never> => Promise.reject(new Error('download_cut'))
    const { parts, events } = open({ running: [0], backends: { upgrade: fail, remove: fail } })
    const reply = { success: false, error: 'download_cut', stopped_process_keys: [], reports_stopped_processes: true }
    expect(await answerUpgrade({ backend: 'mock' }, signal, parts)).toEqual(reply)
    expect(await answerDelete({ backend: 'mock' }, signal, parts)).toEqual(reply)
    expect(await answerDelete({}, signal, parts)).toMatchObject({ success: false })
    expect(events).toEqual([])
  })

  it('leave the processes of other backends', async () => {
    const { parts } = open({ running: [0], backends: { remove: async () => ['other'] } })
    expect(await answerDelete({ backend: 'other' }, signal, parts)).toMatchObject({
      success: true,
      stopped_process_keys: [],
    })
    await stopBackend({ backend: 'other' }, parts)
    expect(((await answerRunning(parts)) as { models: unknown[] }).models).toHaveLength(1)
    await stopBackend({ backend: 'gallery@mock' }, parts)
    expect(((await answerRunning(parts)) as { models: unknown[] }).models).toEqual([])
  })

  it('list backends as they were captured, null for none', async () => {
    const mock = { name: 'mock', is_system: false, is_meta: false }
    expect(await answerList(open({ backends: { list: async () => [mock] } }).parts)).toEqual({ backends: [mock] })
    expect(await answerList(open().parts)).toEqual({ backends: null })
  })
})

describe('model.stop', () => {
  const request = { model_name: 'm1', process_key: 'm1#0', expected_address: '127.0.0.1:26051', force: false }

  it('ends the process that is meant, also when its model cannot be freed', async () => {
    const freed = open({ running: [0] })
    expect(await answerStop(request, freed.parts)).toEqual({
      matched: true,
      freed: true,
      terminated: true,
      process_key: 'm1#0',
      address: '127.0.0.1:26051',
    })
    expect(freed.events).toEqual(['retire m1#0', 'free m1#0', 'stop m1#0'])
    const { parts } = open({ running: [0], freeError: 'Method not implemented!' })
    expect(await answerStop(request, parts)).toMatchObject({
      freed: false,
      terminated: true,
      error: 'Method not implemented!',
    })
  })

  it.each([
    [
      { ...request, expected_address: '127.0.0.1:1' },
      { matched: true, error: expect.stringContaining('address mismatch') },
    ],
    [
      { ...request, model_name: 'm2' },
      { matched: true, error: expect.stringContaining('model mismatch') },
    ],
    [
      { ...request, process_key: 'm1#7' },
      { matched: false, process_key: 'm1#7' },
    ],
    [{}, { matched: false }],
  ])('does not end another one: %j', async (payload, reply) => {
    const { parts, events } = open({ running: [0] })
    expect(await answerStop(payload, parts)).toMatchObject({ ...reply, freed: false, terminated: false })
    expect(events).toEqual([])
  })
})

it('model.unload frees a model in its processes, which go on to run', async () => {
  const { parts, events, running } = open({ running: [0, 1], freeError: 'Method not implemented!' })
  expect(await answerUnload({ model_name: 'm1' }, parts)).toEqual({ success: true })
  expect(await answerUnload({ model_name: 'm1', address: '127.0.0.1:26052' }, parts)).toEqual({ success: true })
  expect(await answerUnload({ model_name: 'other' }, parts)).toEqual({ success: true })
  expect(await answerUnload({}, parts)).toMatchObject({ success: false })
  expect(events).toEqual(['free m1#0', 'free m1#1', 'free m1#1'])
  expect(running.size).toBe(2)
})

it('progress of an installation goes out at most once in 250 ms', async () => {
  const clock = createFakeClock()
  const sent: unknown[] = []
  const report = createInstallProgress(
    { backend: 'mock', operation: 'op.1' },
    { nodeId: 'n', clock, publish: (subject, payload) => sent.push([subject, payload]) },
  )
  report({ phase: 'Downloading', fileName: 'a.tar', currentBytes: 0, totalBytes: 4 * 2 ** 20 })
  for (let each = 0; each < 10; each += 1) report({ currentBytes: each })
  await clock.advance(250)
  report({ currentBytes: 2 ** 20 })
  expect(sent).toEqual([
    [
      'nodes.n.backend.install.op-1.progress',
      {
        op_id: 'op.1',
        node_id: 'n',
        backend: 'mock',
        file_name: 'a.tar',
        current: '0.0 MiB',
        total: '4.0 MiB',
        percentage: 0,
        phase: 'Downloading',
      },
    ],
    ['nodes.n.backend.install.op-1.progress', expect.objectContaining({ percentage: 25, current: '1.0 MiB' })],
  ])
})
