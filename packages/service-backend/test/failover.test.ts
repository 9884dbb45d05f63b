import {
  type Candidate,
  callWithFailover,
  createFailoverGroup,
  type FailoverRequest,
  readFailoverSettings,
  streamWithFailover,
} from '@svc/proxy/failover'
import { describe, expect, it } from 'vitest'
import type { PredictPiece } from '../src/service/predict.ts'
import { collect, json, type ServiceWorld, sse, startWorld } from './service-world.ts'

/** Two instances as failover targets, over real connections. */
class Pair implements AsyncDisposable {
  readonly worlds: Readonly<Record<string, ServiceWorld>>
  readonly served: Candidate[] = []
  readonly signal = new AbortController().signal
  readonly request: FailoverRequest

  private constructor(first: ServiceWorld, second: ServiceWorld) {
    this.worlds = { first, second }
    const settings = readFailoverSettings({ targets: ['first', 'second'] }, { own: 'm', isGroup: () => false })
    this.request = {
      group: createFailoverGroup({ settings, now: () => 0 }),
      bodyBytes: 100,
      signal: this.signal,
      onServed: (candidate) => this.served.push(candidate),
    }
  }

  static async start(): Promise<Pair> {
    return new Pair(await startWorld(), await startWorld())
  }

  at(model: string): ServiceWorld {
    const world = this.worlds[model]
    if (world === undefined) throw new Error(`there is no ${model}`)
    return world
  }

  tokenize(): Promise<readonly number[]> {
    return callWithFailover(this.request, ({ model }) => this.at(model).service.tokenize('x', { signal: this.signal }))
  }

  stream(): AsyncGenerator<PredictPiece, void, undefined> {
    return streamWithFailover(this.request, {
      attempt: ({ model }) => this.at(model).service.predictStream({ prompt: 'x', temperature: 0 }, this),
      isContent: ({ text, reasoning, calls }) => text !== '' || reasoning !== '' || calls.length > 0,
    })
  }

  asked(model: string): number {
    return this.at(model).instance.requests.length
  }

  get states(): string[] {
    return this.request.group.states.map(({ status }) => status)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const world of Object.values(this.worlds)) await world[Symbol.asyncDispose]()
  }
}

const delta = (content: string, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: { content }, finish_reason }],
})
const joinText = (pieces: readonly PredictPiece[]) => pieces.map(({ text }) => text).join('')

describe('instances as failover targets', () => {
  it.each([
    [{ status: 503 }, 'down'],
    [{ status: 500, body: 'broke' }, 'down'],
    [{ headers: { 'content-length': '50' }, body: '{"tok', end: 'cut' as const }, 'down'],
    [{ status: 429, headers: { 'retry-after': '9' } }, 'resting'],
    [{ status: 501 }, 'up'],
    [json({ error: { message: 'Resource not found' } }, 404), 'up'],
  ])('go on with the other after %j, and the one is then %s', async (reply, state) => {
    await using pair = await Pair.start()
    pair.at('first').instance.enqueue(reply)
    pair.at('second').instance.enqueue(json({ tokens: [1] }))
    expect(await pair.tokenize()).toEqual([1])
    expect(pair.served).toEqual([{ model: 'second', note: 'fallback' }])
    expect(pair.states).toEqual([state, 'up'])
  })

  it('go on with the other when one is gone', async () => {
    await using pair = await Pair.start()
    await pair.at('first').instance.close()
    pair.at('second').instance.enqueue(json({ tokens: [1] }))
    expect(await pair.tokenize()).toEqual([1])
    expect(pair.states).toEqual(['down', 'up'])
  })

  it('do not send a faulty request to the other target', async () => {
    await using pair = await Pair.start()
    pair.at('first').instance.enqueue(json({ error: { message: 'no' } }, 400))
    await expect(pair.tokenize()).rejects.toMatchObject({ kind: 'invalid_request', message: 'no' })
    expect(pair.asked('second')).toBe(0)
    expect(pair.states).toEqual(['up', 'up'])
  })

  it('go on with the other until the first content of a stream', async () => {
    await using pair = await Pair.start()
    pair.at('first').instance.enqueue(sse(delta(''), { error: { message: 'broke' } }))
    pair.at('second').instance.enqueue(sse(delta('h'), delta('o', 'stop'), '[DONE]'))
    expect(joinText(await collect(pair.stream()))).toBe('ho')
    expect(pair.states).toEqual(['down', 'up'])
  })

  it('send no request to another target afterwards', async () => {
    await using pair = await Pair.start()
    pair.at('first').instance.enqueue(sse(delta('h'), { error: { message: 'broke' } }))
    const pieces: PredictPiece[] = []
    const reading = (async () => {
      for await (const piece of pair.stream()) pieces.push(piece)
    })()
    await expect(reading).rejects.toMatchObject({ kind: 'unavailable', message: 'broke' })
    expect(joinText(pieces)).toBe('h')
    expect(pair.asked('second')).toBe(0)
    expect(pair.states).toEqual(['down', 'up'])
  })
})
