import { describe, expect, it } from 'vitest'
import { sseData, startTestServer } from '../support/server.ts'

describe('POST /v1/chat/completions', () => {
  // verifies chat:route:post, chat:whole:completion
  it('answers whole, with usage, under the requested name', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [{ rpc: 'Predict', do: { text: 'Hello to you', promptTokens: 5, completionTokens: 3 } }],
    })
    const reply = await server.chat('m')
    expect(reply.status).toBe(200)
    expect(reply.json()).toEqual({
      id: expect.stringMatching(/^chatcmpl-/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'm',
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          logprobs: null,
          message: { role: 'assistant', content: 'Hello to you', refusal: null },
        },
      ],
      usage: { prompt_tokens: 5, completion_tokens: 3, total_tokens: 8 },
    })
  })

  // verifies chat:stream:sse, chat:stream:chunks
  it('streams: role once, text pieces, one end, usage only when asked, [DONE]', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [{ rpc: 'PredictStream', do: { pieces: ['Hel', 'lo'], promptTokens: 5, completionTokens: 2 } }],
    })
    const reply = await server.chat('m', { stream: true })
    expect(reply.headers['content-type']).toBe('text/event-stream')
    expect(reply.headers['content-encoding']).toBeUndefined()
    const events = sseData(reply.text) as {
      id: string
      created: number
      choices: { delta: object; finish_reason: string | null }[]
      usage?: object
    }[]
    expect(events.at(-1)).toBe('[DONE]')
    const chunks = events.slice(0, -1)
    expect(chunks.map((chunk) => chunk.choices[0])).toEqual([
      { index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null },
      { index: 0, delta: { content: 'Hel' }, finish_reason: null },
      { index: 0, delta: { content: 'lo' }, finish_reason: null },
      { index: 0, delta: {}, finish_reason: 'stop' },
    ])
    expect(new Set(chunks.map((chunk) => `${chunk.id} ${chunk.created}`)).size).toBe(1)
    expect(chunks.some((chunk) => chunk.usage !== undefined)).toBe(false)
    const withUsage = sseData((await server.chat('m', { stream: true, stream_options: { include_usage: true } })).text)
    expect(withUsage.at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 },
    })
  })

  it('joins characters that the backend cuts into single bytes', async () => {
    await using server = await startTestServer()
    const text = 'Grüße 👩‍👩‍👧 漢字'
    await server.model('m', { rules: [{ rpc: 'PredictStream', do: { text, split: 'bytes' } }] })
    const events = sseData((await server.chat('m', { stream: true })).text) as {
      choices?: { delta: { content?: string } }[]
    }[]
    expect(events.map((event) => event.choices?.[0]?.delta.content ?? '').join('')).toBe(text)
  })

  it('sends the backend the conversation and the settings of the model, overridden by those of the request', async () => {
    await using server = await startTestServer()
    await server.model(
      'm',
      {},
      { parameters: { model: 'weights.bin', temperature: 0.3, top_k: 7 }, stopwords: ['<end>'] },
    )
    await server.post('/v1/chat/completions', {
      model: 'm',
      messages: [
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
      temperature: 0,
      max_completion_tokens: 9,
      max_tokens: 4,
      stop: 'STOP',
      seed: 5,
      top_logprobs: 2,
      logprobs: true,
      logit_bias: { '3': -1 },
    })
    const asked = server.records('m').find((record) => record.rpc === 'Predict' && record.event === 'start')?.request
    expect(asked).toMatchObject({
      UseTokenizerTemplate: true,
      Messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'ab' },
      ],
      Temperature: 0,
      TopK: 7,
      Tokens: 9,
      Seed: 5,
      StopPrompts: ['<end>', 'STOP'],
      Logprobs: 1,
      TopLogprobs: 2,
      LogitBias: '{"3":-1}',
      ModelIdentity: 'weights.bin',
    })
  })

  it('gives n choices their own index, and adds up their tokens', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [
        { rpc: 'Predict', call: 2, do: { text: 'two', promptTokens: 4, completionTokens: 2 } },
        { do: { text: 'one', promptTokens: 4, completionTokens: 1 } },
      ],
    })
    const body = (await server.chat('m', { n: 2 })).json() as {
      choices: { index: number; message: { content: string } }[]
      usage: object
    }
    expect(body.choices.map((choice) => [choice.index, choice.message.content])).toEqual([
      [0, 'one'],
      [1, 'two'],
    ])
    expect(body.usage).toEqual({ prompt_tokens: 4, completion_tokens: 3, total_tokens: 7 })
  })

  it('ends with length when the limit was reached', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'a b c', completionTokens: 3 } }] })
    expect((await server.chat('m', { max_tokens: -1 })).json()).toMatchObject({ choices: [{ finish_reason: 'stop' }] })
    expect((await server.chat('m', { max_tokens: 3 })).json()).toMatchObject({ choices: [{ finish_reason: 'length' }] })
  })

  it('passes on parsed tool calls and reasoning of a backend', async () => {
    await using server = await startTestServer()
    await server.model('m', {
      rules: [{ do: { reasoning: 'hm', toolCalls: [{ id: 'c1', name: 'f', arguments: { a: 1 } }], via: 'deltas' } }],
    })
    expect((await server.chat('m', { tools: [{ type: 'function', function: { name: 'f' } }] })).json()).toMatchObject({
      choices: [
        {
          finish_reason: 'tool_calls',
          message: {
            content: null,
            reasoning: 'hm',
            reasoning_content: 'hm',
            tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
          },
        },
      ],
    })
  })

  it('gives log-probabilities where they were asked for', async () => {
    await using server = await startTestServer()
    await server.model('m', { rules: [{ do: { text: 'a b' } }] })
    const body = (await server.chat('m', { logprobs: true, top_logprobs: 1 })).json() as {
      choices: { logprobs: { content: { token: string; logprob: number }[] } }[]
    }
    expect(body.choices[0]?.logprobs.content.length).toBeGreaterThan(0)
    expect(body.choices[0]?.logprobs.content[0]?.logprob).toBeLessThanOrEqual(0)
  })
})

describe('large replies', () => {
  // verifies residency:messages:largest
  it("larger than gRPC's default limit arrive whole, up to 50 MiB", async () => {
    await using server = await startTestServer()
    const piece = 'x'.repeat(65_536)
    await server.model('m', { rules: [{ rpc: 'Predict', do: { pieces: [piece], repeat: 150 } }] })
    const body = (await server.chat('m')).json() as { choices: { message: { content: string } }[] }
    expect(body.choices[0]?.message.content.length).toBe(150 * piece.length)
  })

  it('sends the figures of the prompt before the answer to clients that ask for Extra-Usage', async () => {
    await using server = await startTestServer()
    await server.model('m', {}, { known_usecases: ['chat', 'completion'] })
    const ask = { model: 'm', prompt: 'Hello there', stream: true, stream_options: { include_usage: true } }
    for (const path of ['/v1/chat/completions', '/v1/completions']) {
      const body = { ...ask, messages: [{ role: 'user', content: ask.prompt }] }
      const events = sseData((await server.post(path, body, { 'extra-usage': '1' })).text)
      const { prompt_tokens } = (events.at(-2) as { usage: { prompt_tokens: number } }).usage
      expect(prompt_tokens).toBeGreaterThan(0)
      expect(events[0]).toMatchObject({ choices: [], usage: { prompt_tokens } })
      const plain = sseData((await server.post(path, body)).text)
      expect(plain.filter((event) => (event as { usage?: object }).usage !== undefined)).toEqual([plain.at(-2)])
    }
  })

  it('counts tokens itself where the model file asks for it', async () => {
    await using server = await startTestServer()
    const rules = [
      { rpc: 'Predict*', do: { pieces: ['one ', 'two ', 'three'], promptTokens: 90, completionTokens: 80 } },
    ]
    await server.model('m', { rules }, { feature_flags: { usage: true } })
    const whole = (await server.chat('m')).json() as { usage: Record<string, number> }
    expect(whole.usage.completion_tokens).toBeLessThan(80)
    expect(whole.usage.prompt_tokens).toBe(2)
    const events = sseData((await server.chat('m', { stream: true, stream_options: { include_usage: true } })).text)
    expect(events.at(-2)).toMatchObject({ usage: { prompt_tokens: 2, completion_tokens: 3 } })
  })
})
