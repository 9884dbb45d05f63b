import { ANSWER_TRAILERS } from '@svc/backend-client/proto'
import { describe, expect, it } from 'vitest'
import { type CloudWorld, collect, json, startWorld } from './world.ts'

const BLOCKS = [
  { type: 'thinking', thinking: 'hm', signature: 's' },
  { type: 'text', text: 'ho' },
  { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
]
const MESSAGE = { content: BLOCKS, stop_reason: 'tool_use', usage: { input_tokens: 3, output_tokens: 2 } }
const PNG = 'iVBORw0KGgo='
const tools = [{ type: 'function', function: { name: 'f' } }]

async function startTranslating(word: 'text' | 'full' = 'full', provider = 'provider_b'): Promise<CloudWorld> {
  const world = await startWorld()
  await world.load({ mode: 'translate', provider, upstreamModel: 'large-1' }, { Options: [`translate:${word}`] })
  return world
}

describe('Predict', () => {
  it('of a prompt is one message of the user', async () => {
    await using world = await startTranslating()
    world.provider.enqueue(json(MESSAGE))
    expect(await world.client.predict({ Prompt: 'hi', Tokens: 7, StopPrompts: ['x'], Temperature: 0.5 })).toMatchObject(
      {
        message: Buffer.from('ho'),
        tokens: 2,
        promptTokens: 3,
        chatDeltas: [
          {
            content: 'ho',
            reasoningContent: 'hm',
            toolCalls: [{ index: 0, id: 'a', name: 'f', arguments: '{"x":1}' }],
          },
        ],
      },
    )
    expect(world.asked()).toEqual({
      model: 'large-1',
      max_tokens: 7,
      messages: [{ role: 'user', content: 'hi' }],
      stop_sequences: ['x'],
    })
    expect(world.provider.requests[0]?.path).toBe('/v1/x?y=1')
  })

  it('is sampled, limited and counted as the options say', async () => {
    await using world = await startWorld()
    const proxy = { mode: 'translate', provider: 'provider_a', upstreamModel: 'large-1' }
    await world.load(proxy, { Options: ['sampling:send', 'limit_field:max_tokens', 'stream_usage:false'] })
    world.provider.enqueue(json({ choices: [{ message: { content: 'ho' } }] }))
    await collect(world.client.predictStream({ Prompt: 'hi', Tokens: 7, Temperature: 0.7, TopP: 0.9, Seed: 3 }))
    expect(world.asked()).toEqual({
      model: 'large-1',
      max_tokens: 7,
      temperature: 0.7,
      top_p: 0.9,
      seed: 3,
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
    })
  })

  it('of a conversation has its calls, results and tools', async () => {
    await using world = await startTranslating()
    world.provider.enqueue(json(MESSAGE))
    const toolCalls = JSON.stringify([{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }])
    await world.client.predict({
      Messages: [
        { role: 'system', content: 'be brief' },
        { role: 'user', content: 'hi' },
        { role: 'assistant', toolCalls, reasoningContent: 'hm' },
        { role: 'tool', content: '1', toolCallId: 'a' },
      ],
      Tools: JSON.stringify(tools),
      ToolChoice: 'required',
      Metadata: { reasoning_effort: 'low' },
    })
    expect(world.asked()).toEqual({
      model: 'large-1',
      max_tokens: 4096,
      system: 'be brief',
      messages: [
        { role: 'user', content: 'hi' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'f', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: '1' }] },
      ],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
      tool_choice: { type: 'any' },
      output_config: { effort: 'low' },
    })
  })

  it.each([
    ['{broken', 'auto', undefined, undefined],
    [JSON.stringify(tools), '{broken', [{ name: 'f', input_schema: { type: 'object', properties: {} } }], undefined],
    [
      JSON.stringify(tools),
      '{"type":"function","function":{"name":"f"}}',
      [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
      { type: 'tool', name: 'f' },
    ],
  ])('with the tools %s and the choice %s', async (Tools, ToolChoice, expected, choice) => {
    await using world = await startTranslating()
    world.provider.enqueue(json(MESSAGE))
    await world.client.predict({ Prompt: 'hi', Tools, ToolChoice })
    expect(world.asked().tools).toEqual(expected)
    expect(world.asked().tool_choice).toEqual(choice)
  })

  it('in mode text carries text alone, without figures', async () => {
    await using world = await startTranslating('text')
    world.provider.enqueue(json(MESSAGE))
    const reply = await world.client.predict({ Prompt: 'hi', Tools: JSON.stringify(tools), Images: [PNG] })
    expect(reply).toMatchObject({ message: Buffer.from('ho'), tokens: 0, promptTokens: 0 })
    expect(reply.chatDeltas).toEqual([{ content: 'ho', reasoningContent: '', toolCalls: [] }])
    expect(world.asked().messages).toEqual([{ role: 'user', content: 'hi' }])
    expect(world.asked()).not.toHaveProperty('tools')
  })

  it('in mode text refuses a turn of images only', async () => {
    await using world = await startTranslating('text')
    const asking = world.client.predict({ Messages: [{ role: 'user' }], Images: [PNG] })
    await expect(asking).rejects.toMatchObject({ kind: 'invalid_request', code: 'text_only' })
    expect(world.provider.requests).toEqual([])
  })

  it('in mode full has pictures where the user said something last', async () => {
    await using world = await startTranslating()
    world.provider.enqueue(json(MESSAGE))
    const Messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'yes?' },
      { role: 'user', content: 'see' },
    ]
    await world.client.predict({ Messages, Images: [PNG, '/9j/AA=='], Audios: ['AA=='], Grammar: 'root ::= "a"' })
    const source = (media_type: string, data: string) => ({
      type: 'image',
      source: { type: 'base64', media_type, data },
    })
    expect((world.asked().messages as unknown[]).at(-1)).toEqual({
      role: 'user',
      content: [{ type: 'text', text: 'see' }, source('image/png', PNG), source('image/jpeg', '/9j/AA==')],
    })
    expect(world.warnings).toEqual(['cannot be translated, left out: grammar, audio'])
  })

  it('of the compatible format asks for the model under its own name', async () => {
    await using world = await startWorld()
    await world.load({ mode: 'translate', provider: 'openai' })
    world.provider.enqueue(json({ choices: [{ message: { content: 'ho' }, finish_reason: 'stop' }] }))
    expect((await world.client.predict({ Prompt: 'hi' })).message.toString()).toBe('ho')
    expect(world.asked()).toEqual({ model: 'm', messages: [{ role: 'user', content: 'hi' }] })
  })

  it('counts the servers that it has passed', async () => {
    await using world = await startTranslating()
    world.provider.enqueue(json(MESSAGE))
    await world.client.predict({ Prompt: 'hi' }, { metadata: { 'x-svc-hop': '2' } })
    expect(world.provider.requests[0]?.header('x-svc-hop')).toEqual(['3'])
    const round = collect(world.client.predictStream({ Prompt: 'hi' }, { metadata: { 'x-svc-hop': '4' } }))
    await expect(round).rejects.toMatchObject({ kind: 'loop' })
  })

  it('is refused where requests are passed through', async () => {
    await using world = await startWorld()
    await world.load({})
    await expect(world.client.predict({ Prompt: 'hi' })).rejects.toMatchObject({ code: 'passthrough_only' })
    await expect(collect(world.client.predictStream({ Prompt: 'hi' }))).rejects.toMatchObject({
      code: 'passthrough_only',
    })
    expect(world.provider.requests).toEqual([])
  })
})

describe('a failure of the upstream', () => {
  it.each([
    [400, 'invalid_request'],
    [429, 'rate_limited'],
    [500, 'upstream_failed'],
  ])('with status %i carries the message of the upstream', async (status, kind) => {
    await using world = await startTranslating()
    world.provider.replyWith({ status, headers: { 'retry-after': '2' }, body: '{"error":{"message":"because"}}' })
    const failure = {
      kind,
      message: `the upstream answered with status ${status}: {"error":{"message":"because"}}`,
      retryAfterMs: 2000,
    }
    await expect(world.client.predict({ Prompt: 'hi' })).rejects.toMatchObject(failure)
    await expect(collect(world.client.predictStream({ Prompt: 'hi' }))).rejects.toMatchObject(failure)
  })

  it('by a refusal is a failure, streamed or not', async () => {
    await using world = await startTranslating()
    world.provider.replyWith(json({ ...MESSAGE, stop_reason: 'refusal' }))
    const refusal = { kind: 'upstream_failed', code: 'upstream_refusal' }
    await expect(world.client.predict({ Prompt: 'hi' })).rejects.toMatchObject(refusal)
    await expect(collect(world.client.predictStream({ Prompt: 'hi' }))).rejects.toMatchObject(refusal)
  })

  it('without a reply is one', async () => {
    await using world = await startTranslating()
    await world.provider.close()
    await expect(world.client.predict({ Prompt: 'hi' })).rejects.toMatchObject({ kind: 'upstream_failed' })
  })
})

describe('PredictStream', () => {
  const events = [
    { type: 'message_start', message: { id: 'x', model: 'l', usage: { input_tokens: 3 } } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'h' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'o' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{}' } },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 2 } },
    { type: 'message_stop' },
  ]
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  const headers = { 'content-type': 'text/event-stream' }

  it('gives every piece as it comes', async () => {
    await using world = await startTranslating()
    world.provider.enqueue({ headers, body: frames.join('') })
    const replies = await collect(world.client.predictStream({ Prompt: 'hi' }))
    expect(Buffer.concat(replies.map(({ message }) => message)).toString()).toBe('ho')
    expect(replies.flatMap(({ chatDeltas }) => chatDeltas.flatMap(({ toolCalls }) => toolCalls))).toEqual([
      { index: 0, id: 'a', name: 'f', arguments: '' },
      { index: 0, id: '', name: '', arguments: '{}' },
    ])
    expect(replies.at(-1)).toMatchObject({ tokens: 2, promptTokens: 3 })
    expect(world.asked().stream).toBe(true)
  })

  it.each([
    ['full', ['2', '1']],
    ['text', [undefined, undefined]],
  ] as const)('carries cached and reasoning tokens in trailers in mode %s', async (mode, expected) => {
    await using world = await startTranslating(mode)
    const usage = { ...MESSAGE.usage, cache_read_input_tokens: 2, output_tokens_details: { thinking_tokens: 1 } }
    world.provider.enqueue(json({ ...MESSAGE, usage }))
    const told: unknown[] = []
    const onTrailers = (trailers: Readonly<Record<string, string>>): number =>
      told.push([trailers[ANSWER_TRAILERS.cachedTokens], trailers[ANSWER_TRAILERS.reasoningTokens]])
    await world.client.predict({ Prompt: 'hi' }, { onTrailers })
    expect(told).toEqual([expected])
  })

  it('carries the finish reason in trailers, like a whole one', async () => {
    await using world = await startTranslating()
    const told: unknown[] = []
    const onTrailers = (trailers: Readonly<Record<string, string>>): number =>
      told.push(trailers[ANSWER_TRAILERS.finish])
    for (const reason of ['tool_use', 'max_tokens', 'end_turn']) {
      const stream = frames.join('').replace('"tool_use"},"usage"', `"${reason}"},"usage"`)
      world.provider.enqueue(json({ ...MESSAGE, stop_reason: reason }), { headers, body: stream })
      await world.client.predict({ Prompt: 'hi' }, { onTrailers })
      await collect(world.client.predictStream({ Prompt: 'hi' }, { onTrailers }))
    }
    expect(told).toEqual(['tool_calls', 'tool_calls', 'length', 'length', 'tool_calls', 'tool_calls'])
  })

  it('cut off in the middle is a failure after the received part', async () => {
    await using world = await startTranslating()
    world.provider.enqueue({ headers, body: frames.slice(0, 3).join('') })
    const seen: string[] = []
    const reading = (async () => {
      for await (const { message } of world.client.predictStream({ Prompt: 'hi' })) seen.push(message.toString())
    })()
    await expect(reading).rejects.toMatchObject({ kind: 'upstream_failed', code: 'upstream_cut' })
    expect(seen.join('')).toBe('ho')
  })

  it('that the host leaves ends the request upstream', async () => {
    await using world = await startTranslating()
    world.provider.enqueue({ headers, body: [...frames.slice(0, 2), new Promise(() => {})] })
    for await (const reply of world.client.predictStream({ Prompt: 'hi' })) {
      if (reply.message.length > 0) break
    }
    expect(await world.provider.requests[0]?.outcome).toBe('aborted')
  })
})
