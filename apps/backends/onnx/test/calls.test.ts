import { join } from 'node:path'
import { StatusResponse_State } from '@svc/backend-client/proto'
import { eventually, writeTinyEmbedder } from '@svc/test-kit'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { writeSlowEmbedder } from './slow-model.ts'

/** A text on which the slow model computes long enough. */
const LONG = 'hello '.repeat(120)

let backend: TestBackend
beforeEach(async () => {
  backend = await startBackend()
  await writeSlowEmbedder(join(backend.models, 'slow'))
})
afterEach(() => backend[Symbol.asyncDispose]())

async function loadSlow(options: readonly string[] = []): Promise<void> {
  await backend.load({ ModelFile: join(backend.models, 'slow'), Options: [...options] })
}

async function readState(): Promise<number> {
  return (await backend.client.status({})).state
}

async function untilBusy(): Promise<void> {
  await eventually(async () => expect(await readState()).toBe(StatusResponse_State.BUSY), { intervalMs: 5 })
}

async function untilReady(): Promise<void> {
  await eventually(async () => expect(await readState()).toBe(StatusResponse_State.READY))
}

describe('while a model computes', () => {
  it('the process answers', async () => {
    await loadSlow()
    let isDone = false
    const embedding = backend.client.embedding({ Embeddings: LONG }).finally(() => (isDone = true))
    await untilBusy()
    await backend.client.health()
    expect((await backend.client.tokenizeString({ Prompt: 'hello world' })).length).toBe(2)
    expect(isDone).toBe(false)
    expect((await embedding).dim).toBe(32)
    expect(await readState()).toBe(StatusResponse_State.READY)
  })

  it('an aborted caller is released, and the model is free when its run has ended', async () => {
    await loadSlow()
    const controller = new AbortController()
    const embedding = backend.client.embedding({ Embeddings: LONG }, { signal: controller.signal })
    const outcome = embedding.then(
      () => 'answered',
      (error: unknown) => error,
    )
    await untilBusy()
    controller.abort()
    await expect(outcome).resolves.toMatchObject({ kind: 'cancelled' })
    await untilReady()
    expect((await backend.client.embedding({ Embeddings: 'hello' })).dim).toBe(32)
  })

  it('callers wait in a line that has an end, and can leave it', async () => {
    await loadSlow(['queue:1'])
    const first = backend.client.embedding({ Embeddings: LONG })
    await untilBusy()
    const controller = new AbortController()
    const waiting = backend.client.embedding({ Embeddings: 'hello' }, { signal: controller.signal })
    const left = expect(waiting).rejects.toMatchObject({ kind: 'cancelled' })
    // One of the two finds the queue full; the other one waits.
    await backend.client.health()
    await expect(backend.client.embedding({ Embeddings: 'world' })).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'queue_full',
    })
    controller.abort()
    await left
    await expect(first).resolves.toMatchObject({ dim: 32 })
    await expect(backend.client.embedding({ Embeddings: 'world' })).resolves.toMatchObject({ dim: 32 })
  })

  it('Free ends running and waiting calls, and the model can be loaded again', async () => {
    await loadSlow()
    const calls = [LONG, LONG].map((Embeddings) => backend.client.embedding({ Embeddings }))
    const ended = Promise.all(calls.map((call) => expect(call).rejects.toMatchObject({ kind: 'unavailable' })))
    await untilBusy()
    expect((await backend.client.free({})).success).toBe(true)
    await ended
    expect(await readState()).toBe(StatusResponse_State.UNINITIALIZED)
    await expect(backend.client.embedding({ Embeddings: 'a' })).rejects.toMatchObject({ code: 'model_not_loaded' })
    await loadSlow()
    expect((await backend.client.embedding({ Embeddings: 'a' })).dim).toBe(32)
  })

  it('a stop of the process lets it end', async () => {
    await loadSlow()
    const embedding = backend.client.embedding({ Embeddings: LONG }).catch(() => {})
    await untilBusy()
    backend.child.kill('SIGTERM')
    await eventually(() => expect(backend.child.exitCode).toBe(0))
    await embedding
  })
})

describe('many calls at once', () => {
  it.each([1, 3])('give the same results as one by one, over %i parallel runs', async (parallel) => {
    await writeTinyEmbedder(join(backend.models, 'tiny'))
    await backend.load({ Options: [`parallel:${parallel}`] })
    const texts = Array.from({ length: 60 }, (_, index) => `hello ${'river '.repeat(index % 7)}${index}`)
    const alone: number[][] = []
    for (const Embeddings of texts) alone.push((await backend.client.embedding({ Embeddings })).embeddings)
    const together = await Promise.all(texts.map((Embeddings) => backend.client.embedding({ Embeddings })))
    expect(together.map(({ embeddings }) => embeddings)).toEqual(alone)
    const { slotCount } = await backend.client.extensions.capabilities({})
    expect(slotCount).toBe(parallel)
  })
})
