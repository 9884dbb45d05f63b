import { ANSWER_TRAILERS } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import { collect, json, sse, startWorld } from './world.ts'

const USAGE = { prompt_tokens: 3, completion_tokens: 2 }

describe('Predict', () => {
  it('of a conversation goes to the chat route with all that was said', async () => {
    await using world = await startWorld()
    const call = { id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }
    const message = { content: 'ho', reasoning: 'hm', tool_calls: [call] }
    world.instance.enqueue(json({ choices: [{ message, logprobs: { content: [] } }], usage: USAGE }))
    const reply = await world.client.predict({
      UseTokenizerTemplate: true,
      Messages: [
        { role: 'user', content: 'hi', name: 'ada' },
        { role: 'assistant', toolCalls: JSON.stringify([call]), reasoningContent: 'hm' },
        { role: 'tool', content: '1', toolCallId: 'a' },
      ],
      Prompt: 'unused',
      Temperature: 0.5,
      TopK: 40,
      Tokens: 7,
      Seed: 5,
      StopPrompts: ['x'],
      LogitBias: '{"1":2}',
      Tools: '[{"type":"function","function":{"name":"f"}}]',
      ToolChoice: '"auto"',
      Logprobs: 1,
      TopLogprobs: 3,
      Metadata: { reasoning_effort: 'low', chat_template_kwargs: '{}', enable_thinking: 'true' },
    })
    expect(reply).toMatchObject({
      message: Buffer.from('ho'),
      logprobs: Buffer.from('{"content":[]}'),
      tokens: 2,
      promptTokens: 3,
      chatDeltas: [
        { content: 'ho', reasoningContent: 'hm', toolCalls: [{ index: 0, id: 'a', name: 'f', arguments: '{}' }] },
      ],
    })
    expect(world.instance.requests[0]?.path).toBe('/v1/chat/completions')
    expect(world.asked()).toEqual({
      model: 'm',
      messages: [
        { role: 'user', content: 'hi', name: 'ada' },
        { role: 'assistant', content: '', reasoning: 'hm', tool_calls: [call] },
        { role: 'tool', content: '1', tool_call_id: 'a' },
      ],
      temperature: 0.5,
      max_tokens: 7,
      top_k: 40,
      seed: 5,
      stop: ['x'],
      logit_bias: { 1: 2 },
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'auto',
      logprobs: true,
      top_logprobs: 3,
      reasoning_effort: 'low',
      metadata: { reasoning_effort: 'low', enable_thinking: 'true' },
    })
  })

  it('of a rendered prompt goes to the completions route; unsupported fields are left out with a warning', async () => {
    await using world = await startWorld()
    world.instance.enqueue(json({ choices: [{ text: 'ho' }] }))
    const media = { Grammar: 'root ::= "a"', Images: ['AA=='], Audios: ['AA=='], Videos: ['AA=='] }
    const reply = await world.client.predict({ Prompt: 'hi', Tools: '[{}]', ToolChoice: 'auto', ...media })
    expect(reply.message.toString()).toBe('ho')
    expect(world.instance.requests[0]?.path).toBe('/v1/completions')
    expect(world.asked()).toEqual({ model: 'm', prompt: 'hi', temperature: 0 })
    expect(world.warnings).toEqual(['cannot be forwarded, left out: grammar, images, audio, video'])
  })
})

it.each([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['function_call', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['eos_token', undefined],
  [undefined, undefined],
])('the finish reason %s becomes %s in trailers, whole and streamed', async (word, told) => {
  await using world = await startWorld()
  const choice = { index: 0, finish_reason: word }
  world.instance.enqueue(
    json({ choices: [{ ...choice, message: { content: 'ho' } }] }),
    sse({ choices: [{ index: 0, delta: { content: 'ho' } }] }, { choices: [{ ...choice, delta: {} }] }, '[DONE]'),
  )
  const ends: unknown[] = []
  const onTrailers = (trailers: Readonly<Record<string, string>>): number => ends.push(trailers[ANSWER_TRAILERS.finish])
  const asked = { Messages: [{ role: 'user', content: 'hi' }] }
  await world.client.predict(asked, { onTrailers })
  await collect(world.client.predictStream(asked, { onTrailers }))
  expect(ends).toEqual([told, told])
})

it.each([
  ['{"1":2}', { 1: 2 }],
  [' {"1":2} ', { 1: 2 }],
  [`{"1":2${' '.repeat(70_000)}}`, { 1: 2 }],
  ['{}', undefined],
  ['', undefined],
  ['[1]', undefined],
  ['{broken}', undefined],
])('biases of %j go on as %j', async (LogitBias, sent) => {
  await using world = await startWorld()
  world.instance.enqueue(json({ choices: [{ message: { content: 'ho' } }] }))
  await world.client.predict({ Messages: [{ role: 'user', content: 'hi' }], LogitBias })
  expect(world.asked().logit_bias).toEqual(sent)
})

it('cached and reasoning tokens come in trailers, whole and streamed', async () => {
  await using world = await startWorld()
  const usage = {
    ...USAGE,
    prompt_tokens_details: { cached_tokens: 2, cache_creation_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 1 },
  }
  world.instance.enqueue(
    json({ choices: [{ message: { content: 'ho' } }], usage }),
    sse({ choices: [{ index: 0, delta: { content: 'ho' }, finish_reason: 'stop' }] }, { choices: [], usage }, '[DONE]'),
    json({ choices: [{ message: { content: 'ho' } }], usage: USAGE }),
  )
  const told: unknown[] = []
  const onTrailers = (trailers: Readonly<Record<string, string>>): number =>
    told.push([
      trailers[ANSWER_TRAILERS.cachedTokens],
      trailers[ANSWER_TRAILERS.cacheWriteTokens],
      trailers[ANSWER_TRAILERS.reasoningTokens],
    ])
  const asked = { Messages: [{ role: 'user', content: 'hi' }] }
  await world.client.predict(asked, { onTrailers })
  await collect(world.client.predictStream(asked, { onTrailers }))
  await world.client.predict(asked, { onTrailers })
  expect(told).toEqual([
    ['2', '1', '1'],
    ['2', '1', '1'],
    [undefined, undefined, undefined],
  ])
})

describe('PredictStream', () => {
  const chunk = (delta: object) => ({ choices: [{ index: 0, delta }] })

  it('gives every piece as it comes, with the figures so far', async () => {
    await using world = await startWorld()
    const figures = (usage: object) => ({ choices: [], usage })
    const last = figures({ ...USAGE, timing_prompt_processing: 4, timing_token_generation: 5.5 })
    const first = figures({ prompt_tokens: 3 })
    world.instance.enqueue(sse(first, chunk({ content: 'h' }), chunk({ content: 'o' }), last, '[DONE]'))
    const replies = await collect(world.client.predictStream({ Messages: [{ role: 'user', content: 'hi' }] }))
    expect(replies.map(({ message }) => message.toString())).toEqual(['', 'h', 'o', ''])
    expect(replies[0]).toMatchObject({ tokens: 0, promptTokens: 3 })
    expect(replies.at(-1)).toMatchObject({
      tokens: 2,
      promptTokens: 3,
      timingPromptProcessing: 4,
      timingTokenGeneration: 5.5,
    })
  })

  it('that tells an error or ends in the middle is unavailable', async () => {
    await using world = await startWorld()
    world.instance.enqueue(sse(chunk({ content: 'h' }), { error: { message: 'broke' } }), sse(chunk({ content: 'h' })))
    for (let turn = 0; turn < 2; turn += 1) {
      const replies = collect(world.client.predictStream({ Prompt: 'hi' }))
      await expect(replies).rejects.toMatchObject({ kind: 'unavailable' })
    }
  })

  it('that the host leaves ends the request there', async () => {
    await using world = await startWorld()
    const first = `data: ${JSON.stringify(chunk({ content: 'h' }))}\n\n`
    world.instance.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: [first, new Promise(() => {})],
    })
    for await (const { message } of world.client.predictStream({ Prompt: 'hi' })) {
      expect(message.toString()).toBe('h')
      break
    }
    expect(await world.instance.requests[0]?.outcome).toBe('aborted')
  })
})
