import { SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createModelHost, type HostedModel } from '../src/index.ts'
import { startWorld, type World } from './world.ts'

interface TestModel extends HostedModel {
  readonly file: string
  isLost: boolean
}

/** A backend whose model is the name of its file, and the history of its models in order. */
async function startHost(
  open: (file: string, signal: AbortSignal) => Promise<void> = async () => {},
): Promise<World & { readonly events: string[]; readonly lose: () => void }> {
  const events: string[] = []
  const host = createModelHost<TestModel>(({ ModelFile: file, Threads: threads }) => {
    if (file === '') throw new SvcError('invalid_request', 'no file is named')
    return {
      key: { file, threads },
      open: async ({ signal }) => {
        events.push(`open ${file}`)
        await open(file, signal)
        return {
          file,
          isLost: false,
          close: async () => {
            events.push(`close ${file}`)
          },
        }
      },
    }
  })
  const predict = (request: { readonly ModelIdentity: string }) => ({
    message: Buffer.from(host.use(request.ModelIdentity).file),
  })
  const world = await startWorld({ handlers: { ...host.handlers, predict } })
  const lose = () => {
    if (host.current !== undefined) host.current.isLost = true
  }
  return { ...world, events, lose }
}

const LOADED = { success: true, message: 'loaded' }

it('answers for the model that is loaded and for no other', async () => {
  await using world = await startHost()
  const { client } = world
  await expect(client.predict({})).rejects.toMatchObject({ code: 'model_not_loaded' })
  expect(await client.loadModel({ Model: 'a', ModelFile: 'a.bin' })).toEqual(LOADED)
  for (const ModelIdentity of ['', 'a']) {
    expect((await client.predict({ ModelIdentity })).message.toString()).toBe('a.bin')
  }
  await expect(client.predict({ ModelIdentity: 'b' })).rejects.toMatchObject({ code: 'model_identity_mismatch' })
})

it('leaves the same model as it is, and closes it for another name, file or setting', async () => {
  await using world = await startHost()
  for (const request of [
    { Model: 'a', ModelFile: 'a.bin' },
    { Model: 'a', ModelFile: 'a.bin' },
    { Model: 'b', ModelFile: 'a.bin' },
    { Model: 'b', ModelFile: 'b.bin' },
    { Model: 'b', ModelFile: 'b.bin', Threads: 2 },
  ]) {
    expect(await world.client.loadModel(request)).toEqual(LOADED)
  }
  const steps = ['open a.bin', 'close a.bin', 'open a.bin', 'close a.bin', 'open b.bin', 'close b.bin', 'open b.bin']
  expect(world.events).toEqual(steps)
})

it('opens a lost model again, after its callers get an error', async () => {
  await using world = await startHost()
  const request = { Model: 'a', ModelFile: 'a.bin' }
  await world.client.loadModel(request)
  world.lose()
  await expect(world.client.predict({})).rejects.toMatchObject({ code: 'model_not_loaded' })
  expect(await world.client.loadModel(request)).toEqual(LOADED)
  expect(world.events).toEqual(['open a.bin', 'close a.bin', 'open a.bin'])
  expect((await world.client.predict({})).message.toString()).toBe('a.bin')
})

it('keeps the model when it refuses a request, and has none when opening another fails', async () => {
  await using world = await startHost(async (file) => {
    if (file === 'bad.bin') throw new SvcError('unprocessable', 'bad.bin: no model')
  })
  const { client } = world
  await client.loadModel({ Model: 'a', ModelFile: 'a.bin' })
  expect(await client.loadModel({ Model: 'a' })).toEqual({ success: false, message: 'no file is named' })
  expect((await client.predict({})).message.toString()).toBe('a.bin')
  expect(await client.loadModel({ Model: 'b', ModelFile: 'bad.bin' })).toEqual({
    success: false,
    message: 'bad.bin: no model',
  })
  await expect(client.predict({})).rejects.toMatchObject({ code: 'model_not_loaded' })
})

it('fails a load with an unexpected error, without its message', async () => {
  const reported: unknown[] = []
  const host = createModelHost(() => {
    throw new TypeError('secret')
  })
  const report = (_path: string, thrown: unknown) => reported.push(thrown)
  await using world = await startWorld({ handlers: host.handlers, report })
  await expect(world.client.loadModel({})).rejects.toMatchObject({
    kind: 'internal',
    message: expect.not.stringContaining('secret'),
  })
  expect(reported).toEqual([expect.objectContaining({ message: 'secret' })])
})

it('loads and frees one after the other, in the order of arrival', async () => {
  const opening = createDeferred()
  const gate = createDeferred()
  await using world = await startHost(async (file) => {
    if (file !== 'slow.bin') return
    opening.resolve()
    await gate.promise
  })
  const { client, events } = world
  const slow = client.loadModel({ Model: 'a', ModelFile: 'slow.bin' })
  await opening.promise
  const freed = client.free({})
  // Free has arrived when a later call is answered.
  await client.health()
  const next = client.loadModel({ Model: 'b', ModelFile: 'b.bin' })
  await client.health()
  expect(events).toEqual(['open slow.bin'])
  gate.resolve()
  expect(await slow).toEqual(LOADED)
  expect(await freed).toEqual({ success: true, message: 'freed' })
  expect(await next).toEqual(LOADED)
  expect(events).toEqual(['open slow.bin', 'close slow.bin', 'open b.bin'])
})

it('stops loading for a cancelled caller, and does not begin for one cancelled while waiting', async () => {
  const opening = createDeferred()
  const ended = createDeferred<unknown>()
  await using world = await startHost(async (file, signal) => {
    if (file !== 'slow.bin') return
    opening.resolve()
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    ended.resolve(signal.reason)
    throw signal.reason
  })
  const { client, events } = world
  const callers = [new AbortController(), new AbortController()]
  const [first, second] = ['slow.bin', 'second.bin'].map((ModelFile, index) =>
    client.loadModel({ Model: 'a', ModelFile }, { signal: callers[index]?.signal }).catch((error: unknown) => error),
  )
  await opening.promise
  callers[1]?.abort()
  expect(await second).toMatchObject({ kind: 'cancelled' })
  // The abort has arrived when a later call is answered.
  await client.health()
  callers[0]?.abort()
  expect(await first).toMatchObject({ kind: 'cancelled' })
  expect(await ended.promise).toMatchObject({ name: 'AbortError' })
  await client.free({})
  expect(events).toEqual(['open slow.bin'])
})
