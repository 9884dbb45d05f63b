import { writeFile } from 'node:fs/promises'
import { createRevocations, type Revocation } from '@svc/auth'
import { createDeferred, createFakeClock, eventually, tempDir } from '@svc/test-kit'
import type { ResponseResource } from '@svc/wire/responses'
import { describe, expect, it } from 'vitest'
import { createConfigStore } from '../catalog/config-store.ts'
import { systemClock } from '../clock.ts'
import { loadConfig } from '../config/load.ts'
import { openDatabase } from '../db/open-database.ts'
import { openOperations } from '../operations/operation-queue.ts'
import { createOperationStore } from '../operations/operation-store.ts'
import { joinRevocations } from '../platform/join-revocations.ts'
import { createLiveResponses, type LiveResponse } from '../responses/live-responses.ts'
import type { ResponseStore } from '../responses/stored-response.ts'
import { createSettings, type Settings } from '../settings/settings.ts'
import { createSettingsFolder } from '../settings/settings-files.ts'
import { createLocalHub } from './__fixtures__/local-hub.ts'
import type { Bus } from './bus.ts'
import { createBus } from './create-bus.ts'

const logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined }

function createPair(times = 1): { readonly own: Bus; readonly other: Bus } {
  const hub = createLocalHub()
  hub.times = times
  return { own: createBus({ link: hub.link(), logger }), other: createBus({ link: hub.link(), logger }) }
}

describe.each([
  ['is lost', 0],
  ['arrives', 1],
  ['arrives three times', 3],
])('two servers agree when a message %s', (_, times) => {
  it('on the settings of one folder', async () => {
    await using dir = await tempDir()
    const { own, other } = createPair(times)
    const open = async (bus: Bus): Promise<Settings> => {
      const command = loadConfig({ argv: [], env: {}, cwd: dir.path })
      if (command.kind !== 'run') throw new Error(JSON.stringify(command))
      const { config, sources } = command
      const files = createSettingsFolder({ folder: config.configDir, pollIntervalMs: 0, clock: systemClock, logger })
      return createSettings({ config, sources, files, bus, logger })
    }
    await using one = await open(own)
    await using two = await open(other)
    const heard: (readonly string[])[] = []
    other.subscribe('settings.changed', ({ keys }) => {
      // The truth is read before the message is heard.
      expect(two.get('threads')).toBe(7)
      heard.push(keys)
    })
    await one.update({ threads: 7 })
    await eventually(() => expect(heard).toEqual([['threads']]))
    await two.update({ f16: true })
    await eventually(() => expect(one.get('f16')).toBe(true))
    expect([one.get('threads'), two.get('threads')]).toEqual([7, 7])
  })

  it('on the models of one folder', async () => {
    await using dir = await tempDir()
    const { own, other } = createPair(times)
    const one = createConfigStore({ folder: dir.path, bus: own })
    const two = createConfigStore({ folder: dir.path, bus: other })
    const heard: (readonly string[])[] = []
    other.subscribe('models.changed', ({ added }) => heard.push(added))
    expect([one.list(), two.list()]).toEqual([[], []])
    await writeFile(dir.join('m.yaml'), 'name: m\nbackend: mock\n')
    expect(one.get('m')?.name).toBe('m')
    // Without a message the next call sees the file.
    if (times === 0) two.list()
    await eventually(() => expect(heard).toEqual([['m']]))
    expect(two.get('m')?.name).toBe('m')
  })
})

describe('rights that another server revokes', () => {
  it('leave the caches of the accounts before running calls are looked at, and do not go back', async () => {
    const { own, other } = createPair()
    const [one, two] = [createRevocations(), createRevocations()]
    const heard: string[] = []
    const note = (place: string) => (revocation: Revocation) => heard.push(`${place} ${revocation.kind}`)
    two.subscribe(note('cache'))
    const ends = [joinRevocations(one, { bus: own, logger }), joinRevocations(two, { bus: other, logger })]
    other.subscribe('rights.revoked', note('calls'))
    own.subscribe('rights.revoked', note('own'))
    one.publish({ kind: 'user', userId: 'ada' })
    expect(heard).toEqual(['own user'])
    await eventually(() => expect(heard).toEqual(['own user', 'cache user', 'calls user']))
    two.publish({ kind: 'all' })
    await eventually(() => expect(heard.slice(3)).toEqual(['cache all', 'calls all', 'own all']))
    for (const end of ends) end()
    two.publish({ kind: 'all' })
    expect(heard.slice(6)).toEqual(['cache all'])
  })

  it('reach running calls although a part of the accounts fails', async () => {
    const { own, other } = createPair()
    const [one, two] = [createRevocations(), createRevocations()]
    two.subscribe(() => {
      throw new Error('broken')
    })
    joinRevocations(one, { bus: own, logger })
    joinRevocations(two, { bus: other, logger })
    const heard: string[] = []
    other.subscribe('rights.revoked', ({ kind }) => heard.push(kind))
    one.publish({ kind: 'api-key', apiKeyId: 'k' })
    await eventually(() => expect(heard).toEqual(['api-key']))
    expect(() => two.publish({ kind: 'all' })).toThrow('broken')
    expect(heard).toEqual(['api-key', 'all'])
  })
})

it('an operation is stopped by another server, and that server hears of its end', async () => {
  await using dir = await tempDir()
  const { own, other } = createPair()
  const database = await openDatabase({ dataPath: dir.path, appVersion: '1.0.0', logger, clock: systemClock })
  const store = createOperationStore({ database, owner: 'me' })
  const operations = await openOperations({ store, bus: own, clock: systemClock, logger, concurrency: 1 })
  operations.register('model', 'installation', async ({ signal }) => {
    const { promise, reject } = createDeferred()
    signal.addEventListener('abort', () => reject(signal.reason))
    await promise
  })
  operations.start()
  const install = { subject: 'model', action: 'installation', details: {} } as const
  const [running, queued] = [
    await operations.enqueue({ ...install, fullName: 'one' }),
    await operations.enqueue({ ...install, fullName: 'two' }),
  ]
  const heard: string[] = []
  other.subscribe('operations.changed', ({ jobId }) => heard.push(jobId))
  for (const jobId of [queued.jobId, queued.jobId, 'unknown', running.jobId]) {
    other.publish('operations.stopped', { jobId, how: 'paused' })
  }
  await eventually(() => expect(new Set(heard)).toEqual(new Set([queued.jobId, running.jobId])))
  expect((await operations.history()).map(({ state }) => state)).toEqual(['paused', 'paused'])
  await operations.close()
  await database.close()
})

describe('a response that runs in the background', () => {
  const reader = { id: 'ada', isAdmin: false }

  function startRun(bus: Bus, options: { readonly cancelled?: readonly string[]; readonly background?: boolean } = {}) {
    const { cancelled = [], background = true } = options
    const clock = createFakeClock()
    let status: ResponseResource['status'] | undefined = 'in_progress'
    const stops: unknown[] = []
    const resource = () => ({ id: 'r', status }) as ResponseResource
    const store = {
      read: async () => (status === undefined ? undefined : { resource: resource(), input: [], streamed: false }),
      renew: async () => cancelled,
      trim: async () => undefined,
    } as unknown as ResponseStore
    const live = createLiveResponses({ store, bus, clock, logger })
    const response: LiveResponse = {
      id: 'r',
      owner: 'ada',
      background,
      current: () => ({ resource: resource(), input: [], streamed: false }),
      follow: () => expect.unreachable(),
      async stop(error) {
        stops.push(error)
        live.remove('r')
        return resource()
      },
    }
    live.add(response)
    return { clock, live, stops, end: (to: typeof status) => (status = to) }
  }

  it.each(['cancelled', undefined] as const)('ends once another server has made it %s', async (status) => {
    const { own, other } = createPair(2)
    const run = startRun(own)
    // A message that is not true changes nothing.
    other.publish('responses.stopped', { id: 'r' })
    other.publish('responses.stopped', { id: 'unknown' })
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(run.live.get('r', reader)).toBeDefined()
    run.end(status)
    other.publish('responses.stopped', { id: 'r' })
    await eventually(() => expect(run.stops).toEqual([undefined]))
    await run.live.close()
  })

  it('ends with the next renewal of its lease when the message is lost', async () => {
    const { own } = createPair(0)
    const run = startRun(own, { cancelled: ['r'] })
    await run.clock.waitForSleepers(2)
    await run.clock.advance(10_000)
    await eventually(() => expect(run.stops).toEqual([undefined]))
    await run.live.close()
  })

  it('goes on when a client waits for it, because it is not stored yet', async () => {
    const { own, other } = createPair()
    const run = startRun(own, { background: false })
    run.end(undefined)
    other.publish('responses.stopped', { id: 'r' })
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
    expect(run.stops).toEqual([])
    await run.live.close()
  })
})
