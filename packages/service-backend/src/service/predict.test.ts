import { describe, expect, it } from 'vitest'
import { collect, json, sse, startWorld } from '../../test/service-world.ts'
import { createService } from './service.ts'
import { loadServiceTarget } from './target.ts'

const signal = new AbortController().signal
const messages = [{ role: 'user', content: 'hi' }]
const nothing = { text: '', reasoning: '', calls: [] }

describe('a prediction', () => {
  it('of messages goes to the chat route', async () => {
    await using world = await startWorld({ upstreamModel: 'theirs' })
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const logprobs = { content: [] }
    const message = { content: 'ho', reasoning: 'hm', tool_calls: [call] }
    world.instance.enqueue(
      json({
        choices: [{ message, finish_reason: 'tool_calls', logprobs }],
        usage: {
          prompt_tokens: 3,
          completion_tokens: 2,
          timing_prompt_processing: 1.5,
          timing_token_generation: -1,
        },
      }),
    )
    const options = { top_p: 0.5, max_tokens: 0, stop: [], seed: 7, tools: [], metadata: {}, ignore_eos: false }
    expect(await world.service.predict({ messages, prompt: 'unused', temperature: 0, options }, { signal })).toEqual({
      text: 'ho',
      reasoning: 'hm',
      calls: [{ index: 0, id: 'a', name: 'f', arguments: '{}' }],
      logprobs,
      finishReason: 'tool_calls',
      usage: { promptTokens: 3, completionTokens: 2, promptMs: 1.5, generationMs: 0 },
    })
    expect(world.instance.requests[0]?.path).toBe('/v1/chat/completions')
    expect(world.instance.requests[0]?.header('extra-usage')).toEqual(['true'])
    expect(world.asked()).toEqual({ model: 'theirs', messages, temperature: 0, top_p: 0.5, seed: 7 })
  })

  it('of a prompt goes to the completions route', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ choices: [{ text: 'ho', finish_reason: 'stop' }] }))
    const reply = await world.service.predict({ prompt: 'hi', messages: [], temperature: 0.5 }, { signal })
    expect(reply).toEqual({ ...nothing, text: 'ho', finishReason: 'stop' })
    expect(world.instance.requests[0]?.path).toBe('/v1/completions')
    expect(world.asked()).toEqual({ model: 'm', prompt: 'hi', temperature: 0.5 })
  })

  it.each([
    [{ logprobs: true, top_logprobs: 2 }, { logprobs: 2 }],
    [{ logprobs: true, top_logprobs: 0 }, { logprobs: true }],
    [{ logprobs: false, top_logprobs: 2 }, {}],
  ])('of a prompt asks for the probabilities of tokens in the words of its route: %j', async (options, asked) => {
    await using world = await startWorld()
    const logprobs = { tokens: ['h', 'o'], token_logprobs: [-0.5, null], top_logprobs: [{ h: -0.5, x: -2 }] }
    world.instance.enqueue(json({ choices: [{ text: 'ho', logprobs: { ...logprobs, text_offset: [0, 1] } }] }))
    const reply = await world.service.predict({ prompt: 'hi', temperature: 0, options }, { signal })
    expect(world.asked()).toEqual({ model: 'm', prompt: 'hi', temperature: 0, ...asked })
    const top_logprobs = [
      { token: 'h', logprob: -0.5 },
      { token: 'x', logprob: -2 },
    ]
    expect(reply.logprobs).toEqual({ content: [{ token: 'h', logprob: -0.5, top_logprobs }] })
  })

  it('has calls whose arguments are text, whatever the instance sends', async () => {
    await using world = await startWorld()
    const call = (id: string, given: unknown) => ({ id, function: { name: 'f', arguments: given } })
    const tool_calls = [call('a', { n: 1 }), call('a', ''), call('', '{"n":2}')]
    world.instance.enqueue(json({ choices: [{ message: { tool_calls }, finish_reason: 'stop' }] }))
    const { calls } = await world.service.predict({ messages, temperature: 0 }, { signal })
    expect(calls.map((one) => [one.index, one.arguments])).toEqual([
      [0, '{"n":1}'],
      [1, '{}'],
      [2, '{"n":2}'],
    ])
    expect(new Set(calls.map(({ id }) => id)).size).toBe(3)
  })

  it('without a choice cannot be read', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ choices: [] }))
    await expect(world.service.predict({ prompt: 'hi', temperature: 0 }, { signal })).rejects.toMatchObject({
      kind: 'internal',
    })
  })
})

describe('a streamed prediction', () => {
  const delta = (piece: object, rest = {}) => ({ choices: [{ index: 0, delta: piece, ...rest }] })
  const stream = async (...events: unknown[]) => {
    await using world = await startWorld()
    world.instance.enqueue(sse(...events))
    const pieces = collect(world.service.predictStream({ messages, temperature: 1 }, { signal }))
    return { pieces: await pieces, asked: world.asked() }
  }

  it('has calls with numbers and ids of their own, and arguments as text', async () => {
    const { pieces } = await stream(
      delta({ tool_calls: [{ id: 'a', function: { name: 'f', arguments: { n: 1 } } }] }),
      delta({ tool_calls: [{ id: 'b', function: { name: 'f', arguments: '{"n"' } }] }),
      delta({ tool_calls: [{ function: { arguments: ':2}' } }] }),
      delta({ function_call: { name: 'g', arguments: '' } }, { finish_reason: 'stop' }),
      '[DONE]',
    )
    expect(pieces.flatMap(({ calls }) => calls)).toEqual([
      { index: 0, id: 'a', name: 'f', arguments: '{"n":1}' },
      { index: 1, id: 'b', name: 'f', arguments: '{"n"' },
      { index: 1, id: '', name: '', arguments: ':2}' },
      { index: 2, id: expect.stringMatching(/^call_/), name: 'g', arguments: '' },
    ])
  })

  it('asks for usage and gives every piece as it comes', async () => {
    const { pieces, asked } = await stream(
      delta({ role: 'assistant', content: '' }),
      delta({ reasoning_content: 'hm' }),
      delta({ content: 'ho' }, { logprobs: { content: [] } }),
      delta({ tool_calls: [{ index: 1, id: 'a', function: { name: 'f', arguments: '' } }] }),
      delta({ tool_calls: [{ index: 1, function: { arguments: '{}' } }] }),
      delta({}, { finish_reason: 'tool_calls' }),
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
      '[DONE]',
    )
    expect(asked).toEqual({
      model: 'm',
      messages,
      temperature: 1,
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(pieces).toEqual([
      nothing,
      { ...nothing, reasoning: 'hm' },
      { ...nothing, text: 'ho', logprobs: { content: [] } },
      { ...nothing, calls: [{ index: 0, id: 'a', name: 'f', arguments: '' }] },
      { ...nothing, calls: [{ index: 0, id: '', name: '', arguments: '{}' }] },
      { ...nothing, finishReason: 'tool_calls' },
      { ...nothing, usage: { promptTokens: 3, completionTokens: 2, promptMs: 0, generationMs: 0 } },
    ])
  })

  it('of a prompt has texts', async () => {
    await using world = await startWorld()
    world.instance.enqueue(sse({ choices: [{ text: 'h' }] }, { choices: [{ text: 'o' }] }, 'not JSON', '[DONE]'))
    const pieces = await collect(world.service.predictStream({ prompt: 'hi', temperature: 1 }, { signal }))
    expect(pieces.map(({ text }) => text)).toEqual(['h', 'o'])
    expect(world.instance.requests[0]?.path).toBe('/v1/completions')
  })

  it('that tells an error is unavailable', async () => {
    await expect(stream(delta({ content: 'h' }), { error: { message: 'broke' } })).rejects.toMatchObject({
      kind: 'unavailable',
      message: 'broke',
    })
  })

  it('that ends in the middle is unavailable; one with a finish reason is complete', async () => {
    await expect(stream(delta({ content: 'h' }))).rejects.toMatchObject({ kind: 'unavailable' })
    expect((await stream(delta({ content: 'h' }, { finish_reason: 'stop' }))).pieces).toHaveLength(1)
  })

  it('that ends at any byte is complete or unavailable', async () => {
    const frames = [
      delta({ content: 'grüß ' }),
      delta({ content: 'dich' }),
      delta({}, { finish_reason: 'stop' }),
      '[DONE]',
    ]
    const whole = Buffer.from(
      frames.map((data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`).join(''),
    )
    const target = await loadServiceTarget(
      { upstreamUrl: 'http://a' },
      { name: 'm', warn: () => {}, secrets: { variable: () => undefined, file: () => Promise.resolve('') } },
    )
    const outcomes = new Set<string>()
    for (let end = 0; end <= whole.length; end += 1) {
      const body = (async function* () {
        yield whole.subarray(0, end)
      })()
      const reply = { status: 200, headers: [], body, lengthBytes: undefined, endsWithConnection: true }
      const { predictStream } = createService({ target, upstream: { send: () => Promise.resolve(reply) } })
      const outcome = await collect(predictStream({ prompt: 'hi', temperature: 1 }, { signal })).then(
        (pieces) => pieces.map(({ text }) => text).join(''),
        (error: { kind: string }) => error.kind,
      )
      outcomes.add(outcome)
    }
    expect([...outcomes]).toEqual(['unavailable', 'grüß dich'])
  })

  it('refused before it began keeps its class', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ error: { message: 'full' } }, 429))
    const pieces = collect(world.service.predictStream({ prompt: 'hi', temperature: 1 }, { signal }))
    await expect(pieces).rejects.toMatchObject({ kind: 'rate_limited' })
  })

  it('that is left early ends the request there', async () => {
    await using world = await startWorld()
    world.instance.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: [`data: ${JSON.stringify(delta({ content: 'h' }))}\n\n`, new Promise(() => {})],
    })
    for await (const piece of world.service.predictStream({ messages, temperature: 1 }, { signal })) {
      expect(piece.text).toBe('h')
      break
    }
    expect(await world.instance.requests[0]?.outcome).toBe('aborted')
  })

  it('refuses an event that is larger than 4 MiB', async () => {
    const long = delta({ content: 'x'.repeat(4 * 1024 * 1024) })
    await expect(stream(long)).rejects.toMatchObject({ kind: 'internal', code: 'upstream_unreadable' })
  })
})
