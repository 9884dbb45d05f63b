import { StatusResponse_State } from '@svc/backend-client/proto'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startBackend, type TestBackend } from './backend.ts'
import { CHAINS, createModel } from './models.ts'

const CONTEXT = 8192
let backend: TestBackend

beforeAll(async () => {
  backend = await startBackend()
  await backend.load({ chains: CHAINS, contextLength: CONTEXT })
})

afterAll(async () => {
  await backend[Symbol.asyncDispose]()
})

/** Waits until the process is in a state. */
async function untilState(state: StatusResponse_State): Promise<void> {
  await eventually(async () => expect((await backend.client.status({})).state).toBe(state), { intervalMs: 5 })
}

/** Starts an endless answer and waits for its first piece. */
async function startEndless(): Promise<{ abort: () => void; ended: Promise<unknown> }> {
  const controller = new AbortController()
  const replies = backend.client.predictStream({ Prompt: 'loop' }, { signal: controller.signal })
  await replies.next()
  const drain = async (): Promise<void> => {
    for await (const _ of replies);
  }
  return { abort: () => controller.abort(), ended: drain().catch((error: unknown) => error) }
}

describe('an aborted caller', () => {
  it('ends the generation long before the context is full', async () => {
    const endless = await startEndless()
    endless.abort()
    expect(await endless.ended).toMatchObject({ kind: 'cancelled' })
    await untilState(StatusResponse_State.READY)
    expect((await backend.client.getMetrics({})).tokensGenerated).toBeLessThan(CONTEXT / 2)
  })

  it('ends the reading of a long prompt before the first token', async () => {
    const before = await backend.client.getMetrics({})
    const controller = new AbortController()
    const Prompt = 'hello '.repeat(CONTEXT - 10)
    const answer = backend.client.predict({ Prompt }, { signal: controller.signal }).catch((error: unknown) => error)
    await untilState(StatusResponse_State.BUSY)
    controller.abort()
    expect(await answer).toMatchObject({ kind: 'cancelled' })
    await untilState(StatusResponse_State.READY)
    expect(await backend.client.getMetrics({})).toEqual(before)
  })

  it('leaves the line, and the next one is served', async () => {
    const holders = [await startEndless(), await startEndless()]
    const controller = new AbortController()
    const waiting = backend.client.predict({ Prompt: 'hello' }, { signal: controller.signal })
    const left = waiting.catch((error: unknown) => error)
    const next = backend.client.predict({ Prompt: 'hello', Tokens: 2 })
    controller.abort()
    expect(await left).toMatchObject({ kind: 'cancelled' })
    for (const holder of holders) holder.abort()
    expect((await next).message.toString()).toBe(' world the')
    await Promise.all(holders.map(({ ended }) => ended))
    await untilState(StatusResponse_State.READY)
  })
})

describe('a line that is full', () => {
  it('refuses further callers', async () => {
    await backend.load({ chains: CHAINS, contextLength: CONTEXT }, { Options: ['parallel:1', 'queue:0'] })
    const holder = await startEndless()
    await expect(backend.client.predict({ Prompt: 'hello' })).rejects.toMatchObject({
      kind: 'rate_limited',
      code: 'queue_full',
    })
    holder.abort()
    await holder.ended
    await untilState(StatusResponse_State.READY)
  })
})

describe('freeing the model', () => {
  it('ends running calls, and then no model is loaded', async () => {
    const holder = await startEndless()
    expect(await backend.client.free({})).toMatchObject({ success: true })
    expect(await holder.ended).toMatchObject({ kind: 'unavailable', code: 'model_unloading' })
    await expect(backend.client.predict({ Prompt: 'hello' })).rejects.toMatchObject({ code: 'model_not_loaded' })
  })
})

describe('loading another model', () => {
  it('ends running calls on the previous model', async () => {
    await backend.load({ chains: CHAINS, contextLength: CONTEXT })
    const holder = await startEndless()
    const other = createModel({ chains: [['▁hello', '▁paris', '</s>']], contextLength: CONTEXT })
    await backend.loadFile(await backend.writeModel('other.gguf', other))
    expect(await holder.ended).toMatchObject({ kind: 'unavailable', code: 'model_unloading' })
    expect((await backend.client.predict({ Prompt: 'hello', Tokens: 1 })).message.toString()).toBe(' paris')
  })
})
