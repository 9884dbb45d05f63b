import { gzipSync } from 'node:zlib'
import Anthropic from '@anthropic-ai/sdk'
import type { UpstreamReply } from '@svc/test-kit'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { chunk, chunks, events, startUpstreamWorld, type UpstreamWorld, whole } from '../support/upstream-world.ts'
import { verifies } from './verifies.ts'

const messages = [{ role: 'user' as const, content: 'Hello there' }]

let world: UpstreamWorld
beforeAll(async () => {
  world = await startUpstreamWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const openai = () => new OpenAI({ baseURL: `${world.server.url}/v1`, apiKey: 'k', maxRetries: 0 })
const anthropic = () => new Anthropic({ baseURL: world.server.url, apiKey: 'k', maxRetries: 0 })

describe('tool calls of an upstream', () => {
  const tools = ['get_weather', 'get_time'].map((name) => ({ type: 'function' as const, function: { name } }))
  const nativeTools = ['get_weather', 'get_time'].map((name) => ({ name, input_schema: { type: 'object' as const } }))
  const weather = { id: 'f1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } }
  const time = { id: 'f2', type: 'function', function: { name: 'get_time', arguments: '{"zone":"CET"}' } }
  const piece = (...calls: object[]) => chunk({ tool_calls: calls })
  const both = [
    ['get_weather', { city: 'Oslo' }],
    ['get_time', { zone: 'CET' }],
  ]

  /** Replies that providers are known to send, and the calls that they mean. */
  const CASES: readonly (readonly [name: string, reply: UpstreamReply, calls: readonly unknown[]])[] = [
    ['without an index', chunks(piece(weather), piece(time), chunk({}, 'stop')), both],
    [
      'all with the index 0',
      chunks(piece({ index: 0, ...weather }), piece({ index: 0, ...time }), chunk({}, 'tool_calls')),
      both,
    ],
    [
      'all with the index 0 and an empty id',
      chunks(piece({ index: 0, ...weather, id: '' }), piece({ index: 0, ...time, id: '' }), chunk({}, 'stop')),
      both,
    ],
    ['together, without an index', chunks(piece(weather, time), chunk({}, 'tool_calls')), both],
    [
      'in fragments, with id and name in each',
      chunks(
        piece({ index: 0, ...weather, function: { name: 'get_weather', arguments: '' } }),
        piece({ index: 0, ...weather, function: { name: 'get_weather', arguments: '{"city":' } }),
        piece({ index: 0, ...weather, function: { name: 'get_weather', arguments: '"Oslo"}' } }),
        piece({ index: 1, ...time }),
        chunk({}, 'tool_calls'),
      ),
      both,
    ],
    [
      'with objects for arguments',
      chunks(
        piece({ index: 0, ...weather, function: { name: 'get_weather', arguments: { city: 'Oslo' } } }),
        piece({ index: 1, ...time, function: { name: 'get_time', arguments: { zone: 'CET' } } }),
        chunk({}, 'stop'),
      ),
      both,
    ],
    [
      'without arguments',
      chunks(
        piece({ index: 0, ...weather, function: { name: 'get_weather', arguments: '' } }),
        piece({ index: 1, ...time, function: { name: 'get_time' } }),
        chunk({}, 'tool_calls'),
      ),
      [
        ['get_weather', {}],
        ['get_time', {}],
      ],
    ],
    [
      'in the older form',
      chunks(chunk({ function_call: weather.function }), chunk({}, 'function_call')),
      [['get_weather', { city: 'Oslo' }]],
    ],
    [
      'in a whole reply to a stream',
      whole({
        choices: [{ index: 0, message: { content: null, tool_calls: [weather, time] }, finish_reason: 'stop' }],
      }),
      both,
    ],
  ]
  /** An instance never answers a stream with a whole reply. */
  const applies = (model: string, name: string): boolean => model !== 'far' || !name.startsWith('in a whole')

  for (const [name, reply, calls] of CASES) {
    for (const model of ['full-a', 'far'].filter((one) => applies(one, name))) {
      // verifies cloud-proxy:translate:calls
      it(`that come ${name} reach official clients as they were meant: ${model}`, async () => {
        world.upstream.enqueue(reply, reply)
        const chat = openai().chat.completions.stream({ model, messages, tools })
        const [answer] = (await chat.finalChatCompletion()).choices
        expect(answer?.finish_reason).toBe('tool_calls')
        const heard = (answer?.message.tool_calls ?? []).map((call) =>
          'function' in call ? call : expect.unreachable(),
        )
        expect(heard.map((call) => [call.function.name, JSON.parse(call.function.arguments)])).toEqual(calls)
        expect(new Set(heard.map(({ id }) => id)).size).toBe(calls.length)
        const message = await anthropic()
          .messages.stream({ model, max_tokens: 99, messages, tools: nativeTools })
          .finalMessage()
        expect(message.stop_reason).toBe('tool_use')
        const uses = message.content.flatMap((block) => (block.type === 'tool_use' ? [[block.name, block.input]] : []))
        expect(uses).toEqual(calls)
      })
    }
  }

  it.each(['full-a', 'far'])('of a whole reply are as complete as those of a stream: %s', async (model) => {
    const calls = [
      { ...weather, function: { name: 'get_weather', arguments: { city: 'Oslo' } } },
      { ...weather, function: { name: 'get_time', arguments: '' } },
    ]
    const reply = whole({
      choices: [{ index: 0, message: { content: null, tool_calls: calls }, finish_reason: 'stop' }],
    })
    world.upstream.enqueue(reply, reply)
    const [answer] = (await openai().chat.completions.create({ model, messages, tools })).choices
    const heard = (answer?.message.tool_calls ?? []).map((call) => ('function' in call ? call : expect.unreachable()))
    expect([answer?.finish_reason, heard.map((call) => call.function.arguments)]).toEqual([
      'tool_calls',
      ['{"city":"Oslo"}', '{}'],
    ])
    expect(new Set(heard.map(({ id }) => id)).size).toBe(2)
    const message = await anthropic().messages.create({ model, max_tokens: 99, messages, tools: nativeTools })
    expect([message.stop_reason, message.content.length]).toEqual(['tool_use', 2])
  })

  it('that a limit cut off keep the reason and get no arguments', async () => {
    world.upstream.enqueue(
      chunks(piece({ index: 0, ...weather, function: { name: 'get_weather', arguments: '' } }), chunk({}, 'length')),
    )
    const reply = await world.server.chat('full-a', { stream: true })
    expect(reply.text).toContain('"finish_reason":"length"')
    expect(reply.text).not.toContain('{}"')
  })
})

describe('a request that is translated', () => {
  const png = 'iVBORw0KGgo='
  const image = {
    type: 'image' as const,
    source: { type: 'base64' as const, media_type: 'image/png' as const, data: png },
  }
  const answer = whole({ choices: [{ index: 0, message: { content: 'ok' }, finish_reason: 'stop' }] })

  verifies(
    'cloud-proxy:translate:result-media',
    "has images of a tool's result in the user's turn behind it",
    async () => {
      world.upstream.enqueue(answer)
      await anthropic().messages.create({
        model: 'full-a',
        max_tokens: 9,
        messages: [
          ...messages,
          { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
          {
            role: 'user',
            content: [
              { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'a cat' }, image] },
              { type: 'text', text: 'Which colour?' },
              { type: 'text', text: 'Be brief.' },
            ],
          },
        ],
      })
      expect((world.asked().messages as unknown[]).slice(2)).toEqual([
        { role: 'tool', tool_call_id: 'a', content: 'a cat' },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: `data:image/png;base64,${png}` } },
            { type: 'text', text: 'Which colour?\n\nBe brief.' },
          ],
        },
      ])
    },
  )

  verifies(
    ['cloud-proxy:translate:sampling', 'cloud-proxy:translate:limit-field'],
    'carries sampling and another name of the limit only where the model says so',
    async () => {
      const sampling = { temperature: 0.7, top_p: 0.9, top_k: 40, min_p: 0.1, seed: 7 }
      await world.model('sampled', 'full-a', { sampling: 'send', limit_field: 'max_tokens' })
      await world.model('sampled-b', 'full-b', { sampling: 'send' })
      await world.model('sampled-text', 'text-a', { sampling: 'send' })
      const native = whole({ id: 'm', type: 'message', content: [], stop_reason: 'end_turn' })
      const sent = async (model: string, reply: UpstreamReply) => {
        world.upstream.enqueue(reply)
        expect((await world.server.chat(model, { ...sampling, max_tokens: 9 })).status).toBe(200)
        const { model: _, messages: said, ...fields } = world.asked()
        expect(said).toEqual(messages)
        return fields
      }
      expect(await sent('full-a', answer)).toEqual({ max_completion_tokens: 9 })
      expect(await sent('sampled', answer)).toEqual({ ...sampling, max_tokens: 9 })
      expect(await sent('sampled-text', answer)).toEqual({ ...sampling, max_completion_tokens: 9 })
      expect(await sent('full-b', native)).toEqual({ max_tokens: 9 })
      expect(await sent('sampled-b', native)).toEqual({ temperature: 0.7, top_p: 0.9, top_k: 40, max_tokens: 9 })
    },
  )

  verifies(
    'cloud-proxy:translate:as-it-came',
    'between two parties of the messages format arrives as it came, and signatures of thoughts come back',
    async () => {
      const mark = { cache_control: { type: 'ephemeral' as const } }
      const thought = { type: 'thinking' as const, thinking: 'Let me think', signature: 'EqQBCgIYAg==' }
      const hidden = { type: 'redacted_thinking' as const, data: 'EmwKAhgBEgy3va3' }
      const start = { type: 'message_start', message: { id: 'm', type: 'message', role: 'assistant', content: [] } }
      const ended = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }
      const block = (index: number, content_block: object, ...deltas: object[]) => [
        { type: 'content_block_start', index, content_block },
        ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
        { type: 'content_block_stop', index },
      ]
      world.upstream.enqueue(
        events(
          start,
          ...block(
            0,
            { type: 'thinking', thinking: '', signature: '' },
            { type: 'thinking_delta', thinking: 'Let me ' },
            { type: 'thinking_delta', thinking: 'think' },
            { type: 'signature_delta', signature: thought.signature },
          ),
          ...block(1, hidden),
          ...block(2, { type: 'text', text: '' }, { type: 'text_delta', text: 'ok' }),
          ended,
          { type: 'message_stop' },
        ),
        whole({
          id: 'm',
          type: 'message',
          role: 'assistant',
          stop_reason: 'end_turn',
          content: [thought, hidden, { type: 'text', text: 'ok' }],
        }),
      )
      const thinking = { type: 'enabled' as const, budget_tokens: 1024 }
      const document = {
        type: 'document' as const,
        source: { type: 'text' as const, media_type: 'text/plain' as const, data: 'plain' },
        title: 'a.txt',
        ...mark,
      }
      const asked = {
        max_tokens: 2048,
        system: [{ type: 'text' as const, text: 'Be brief.', ...mark }],
        thinking,
        messages: [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'one' }, document] }],
      }
      const first = await anthropic()
        .messages.stream({ model: 'full-b', ...asked })
        .finalMessage()
      expect(first.content).toMatchObject([thought, hidden, { type: 'text', text: 'ok' }])
      const next = [...asked.messages, { role: 'assistant' as const, content: first.content }, ...messages]
      const beta = { 'anthropic-beta': 'interleaved-thinking-2025-05-14' }
      const second = await anthropic().messages.create({ model: 'full-b', ...asked, messages: next }, { headers: beta })
      expect(second.content).toMatchObject([thought, hidden, { type: 'text', text: 'ok' }])
      expect(world.asked()).toEqual({ model: 'full-b', ...asked, messages: JSON.parse(JSON.stringify(next)) })
      expect(world.upstream.requests.at(-1)?.header('anthropic-beta')).toEqual([beta['anthropic-beta']])
    },
  )
})

describe('the reply of an upstream', () => {
  const choice = { index: 0, message: { role: 'assistant', content: 'grüße' }, finish_reason: 'stop' }

  verifies('upstream:encoding:unasked', 'is decoded where nobody asked for its coding', async () => {
    const gzip = (reply: UpstreamReply): UpstreamReply => ({
      ...reply,
      headers: { ...reply.headers, 'content-encoding': 'gzip' },
      body: gzipSync([reply.body].flat().join('')),
    })
    const stream = chunks(chunk({ content: 'grüße' }), chunk({}, 'stop'))
    for (const model of ['relay-a', 'full-a', 'far']) {
      world.upstream.enqueue(gzip(whole({ choices: [choice] })), gzip(stream), {
        ...gzip(whole({ error: { message: 'no' } })),
        status: 422,
      })
      const reply = await world.server.chat(model)
      expect([model, reply.status, reply.headers['content-encoding']]).toEqual([model, 200, undefined])
      expect(reply.json()).toMatchObject({ choices: [choice] })
      const streamed = await world.server.chat(model, { stream: true })
      expect(streamed.text).toContain('"grüße"')
      expect((await world.server.chat(model)).text).toContain('no')
    }
  })

  verifies('errors:opaque:upstream-status', 'keeps its real status while errors are opaque', async () => {
    await using opaque = await startUpstreamWorld({ flags: ['--opaque-errors'] })
    for (const status of [400, 402, 408, 418, 425, 451, 500, 503, 507, 529, 598]) {
      opaque.upstream.replyWith({ status, body: '{"error":{"message":"secret words"}}' })
      for (const model of ['relay-a', 'full-a', 'full-b']) {
        for (const stream of [false, true]) {
          const reply = await opaque.server.chat(model, { stream })
          expect([model, stream, reply.status, reply.text]).toEqual([model, stream, status, ''])
        }
      }
      const asked = { model: 'relay-b', messages, max_tokens: 9 }
      expect((await opaque.server.post('/v1/messages', asked)).status).toBe(status)
    }
    expect((await opaque.server.chat('none')).status).toBe(404)
  })

  describe('of a routed request', () => {
    const named = { 'content-type': 'application/json', 'served-model': 'theirs' }
    const answer: UpstreamReply = { headers: named, body: JSON.stringify({ model: 'big', choices: [choice] }) }
    const stream = chunks(chunk({ content: 'hi' }), chunk({}, 'stop'))
    const refusal: UpstreamReply = { status: 422, headers: named, body: '{"error": {"message": "no"}}' }
    const native = whole({ id: 'm', type: 'message', content: [], stop_reason: 'end_turn' })

    // verifies router:reply:served-model
    it.each([
      ['relay-a', answer, false],
      ['relay-a', stream, true],
      ['relay-a', refusal, false],
      ['relay-b', native, false],
      ['text-a', answer, false],
      ['full-a', stream, true],
      ['full-b', native, false],
      ['far', answer, false],
      ['far', stream, true],
      ['модель', answer, false],
    ] as const)('by %s names the model that served, not that of the upstream', async (model, reply, streamed) => {
      await world.model('модель', 'relay-a')
      await world.server.writeModelFile('auto.yaml', stringify({ name: 'auto', router: { fallback: model } }))
      const ask = { messages, max_tokens: 9, stream: streamed }
      const path = model === 'relay-b' ? '/v1/messages' : '/v1/chat/completions'
      for (const [name, served] of [
        ['auto', encodeURI(model)],
        [model, undefined],
      ]) {
        world.upstream.enqueue(reply)
        const given = await world.server.post(path, { model: name, ...ask })
        expect([given.status, given.headers['served-model']], given.text).toEqual([reply.status ?? 200, served])
      }
    })
  })
})
