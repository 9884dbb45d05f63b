import Anthropic from '@anthropic-ai/sdk'
import type { MockScript } from '@svc/backend-mock/script'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { systemClock } from '../../src/clock.ts'
import type { PriceBook } from '../../src/spend/price-book.ts'
import { createPeople } from '../support/people.ts'
import { startTestServer, type TestServer } from '../support/server.ts'

const CHAT = '/v1/chat/completions'
const messages = [{ role: 'user' as const, content: 'Hello there' }]
const as = (name: string) => ({ authorization: `Bearer ${name}` })
const KEEPS = { known_usecases: ['chat', 'completion'], response_cache: { enabled: true } }

/** Each rule answers once, so that a second call of the model says something else. */
const COUNTS: MockScript = {
  rules: [
    { rpc: 'Predict*', call: 1, do: { text: 'the first answer', promptTokens: 6, completionTokens: 3 } },
    { rpc: 'Predict*', do: { text: 'another answer', promptTokens: 6, completionTokens: 2 } },
  ],
}

/** How often a model was asked. */
const countCalls = (server: TestServer, model: string): number =>
  server.records(model).filter(({ rpc, event }) => rpc.startsWith('Predict') && event === 'start').length

/** A reply without its ids and times, which every reply has for itself. */
const withoutIds = (text: string): string =>
  text
    .replaceAll(/"(id|item_id|response_id)":"[^"]*"/g, '"$1":"-"')
    .replaceAll(/"(created|created_at|completed_at)":("[^"]*"|[\d.]+)/g, '"$1":0')
    .replaceAll(/"(\w*_duration)":\d+/g, '"$1":0')

describe('a model that keeps replies', () => {
  let server: TestServer
  let names = 0
  const clock = { ...systemClock, ahead: 0, monotonic: () => systemClock.monotonic() + clock.ahead }
  const prices: PriceBook = { currency: 'USD', costOf: () => 1000 }
  const open = async (keys: Record<string, unknown> = {}, script = COUNTS): Promise<string> => {
    names += 1
    await server.model(`m${names}`, script, { ...KEEPS, ...keys })
    return `m${names}`
  }
  const ask = async (model: string, extra: Record<string, unknown> = {}, headers: Record<string, string> = {}) => {
    const reply = await server.post(CHAT, { model, messages, ...extra }, { ...as('ada'), ...headers })
    return { status: reply.status, cache: reply.headers['x-svc-cache'], text: reply.text }
  }
  const outcomes = async (model: string, requests: readonly Record<string, unknown>[]) => {
    const list = []
    for (const request of requests) list.push((await ask(model, request)).cache)
    return list
  }
  beforeAll(async () => {
    server = await startTestServer({ authenticator: createPeople(() => ({})), clock, prices })
  })
  afterAll(() => server.close())

  const input = 'Hello there'
  it.each([
    [CHAT, { messages }],
    ['/v1/completions', { prompt: input }],
    ['/v1/messages', { messages, max_tokens: 64 }],
    ['/v1/responses', { input }],
    ['/v1/responses', { input, store: false }],
    ['/api/chat', { messages }],
    ['/api/generate', { prompt: input }],
  ])('%s %j: replays what the model said, whole and streamed', async (path, body) => {
    const model = await open()
    const twin = await open()
    for (const stream of [false, true]) {
      const headers = { ...as('ada'), 'x-svc-cache': 'refresh' }
      await server.model(
        model,
        { rules: [{ do: { text: 'one two three', promptTokens: 6, completionTokens: 3 } }] },
        KEEPS,
      )
      const live = await server.post(path, { model, stream, ...body }, headers)
      const replayed = await server.post(path, { model, stream, ...body }, as('ada'))
      expect([live.status, live.headers['x-svc-cache']], live.text).toEqual([200, 'miss'])
      expect([replayed.status, replayed.headers['x-svc-cache']], replayed.text).toEqual([200, 'hit'])
      expect(withoutIds(replayed.text)).toBe(withoutIds(live.text))
      expect(replayed.headers['content-type']).toBe(live.headers['content-type'])
    }
    // What was asked for whole is replayed as a stream, and the other way round.
    const whole = await server.post(path, { model: twin, stream: false, ...body }, as('ada'))
    const streamed = await server.post(path, { model: twin, stream: true, ...body }, as('ada'))
    expect([whole.headers['x-svc-cache'], streamed.headers['x-svc-cache']]).toEqual(['miss', 'hit'])
    expect(whole.text).toContain('the first answer')
    expect(countCalls(server, twin)).toBe(1)
  })

  it('never gives a reply to another account, unless the model shares it', async () => {
    const own = await open()
    const shared = await open({ response_cache: { enabled: true, shared: true } })
    const seen = async (model: string, name: string) => (await ask(model, {}, as(name))).cache
    expect([await seen(own, 'ada'), await seen(own, 'ben'), await seen(own, 'ada')]).toEqual(['miss', 'miss', 'hit'])
    expect([await seen(shared, 'ada'), await seen(shared, 'ben')]).toEqual(['miss', 'hit'])
  })

  const tool = (description: string, order: 'ab' | 'ba' = 'ab') => {
    const fields = { a: { type: 'string' }, b: { type: 'string' } }
    const properties = order === 'ab' ? fields : { b: fields.b, a: fields.a }
    return { type: 'function', function: { name: 'f', description, parameters: { type: 'object', properties } } }
  }
  const says = (content: unknown) => ({ messages: [{ role: 'user', content }] })
  it('tells apart every request that may get another answer', async () => {
    const model = await open({}, { rules: [{ do: { text: 'fine' } }] })
    const different = [
      says('caf\u00e9'),
      says('cafe\u0301'),
      says('\ufffd'),
      says('x\ud800'),
      says('x\ufffd'),
      says('Hello there '),
      { messages: [{ role: 'user', content: 'Hello', name: 'a' }] },
      { messages: [{ role: 'system', content: 'Hello' }] },
      { messages: [...says('a').messages, ...says('b').messages] },
      says('ab'),
      { temperature: 0.5 },
      { temperature: 0 },
      { seed: 1 },
      { seed: 2 },
      { max_tokens: 900 },
      { stop: ['zz'] },
      { logit_bias: { 5: 1 } },
      { tools: [tool('one')] },
      { tools: [tool('two')] },
      { tools: [tool('two', 'ba')] },
      { tools: [tool('two')], tool_choice: 'none' },
      { response_format: { type: 'json_object' } },
      { reasoning_effort: 'low' },
      { n: 2 },
    ]
    const first = await outcomes(model, different)
    expect(first.map((outcome, index) => [different[index], outcome])).toEqual(different.map((one) => [one, 'miss']))
  })

  it('knows equal requests again, however they travel', async () => {
    const model = await open()
    const equal = [
      { temperature: 1 },
      { temperature: 1.0, user: 'somebody' },
      { stream: true, temperature: 1 },
      { stream: true, stream_options: { include_usage: true }, temperature: 1 },
    ]
    expect(await outcomes(model, equal)).toEqual(['miss', 'hit', 'hit', 'hit'])
    expect((await ask(model, { temperature: 1 }, { 'x-svc-tags': 'team=a' })).cache).toBe('hit')
  })

  it('does what the header of a request says, and refuses another word', async () => {
    const model = await open()
    const off = { 'x-svc-cache': 'off' }
    expect([(await ask(model, {}, off)).cache, (await ask(model)).cache]).toEqual(['skip', 'miss'])
    const refreshed = await ask(model, {}, { 'x-svc-cache': 'Refresh' })
    const after = await ask(model)
    expect([refreshed.cache, after.cache]).toEqual(['miss', 'hit'])
    expect(countCalls(server, model)).toBe(3)
    const { text } = await server.call('/metrics', { headers: as('root') })
    expect(text).toContain(`svc_response_cache_total{model="${model}",outcome="hit"} 1`)
    expect(text).toContain(`svc_response_cache_total{model="${model}",outcome="miss"} 2`)
    const wrong = await ask(model, {}, { 'x-svc-cache': 'hit' })
    expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining('must be off or refresh')])
  })

  it('forgets a reply with its time, and with an edit of the model file', async () => {
    const model = await open({ response_cache: { enabled: true, ttl_seconds: 60 } })
    expect(await outcomes(model, [{}, {}])).toEqual(['miss', 'hit'])
    clock.ahead += 60_000
    expect(await outcomes(model, [{}, {}])).toEqual(['miss', 'hit'])
    await server.model(model, COUNTS, { ...KEEPS, description: 'edited' })
    expect(await outcomes(model, [{}, {}])).toEqual(['miss', 'hit'])
  })

  it('keeps no reply that is cut, fails or warns', async () => {
    const cut = await open({}, { rules: [{ do: { text: 'one two three four' } }] })
    const failing = await open(
      {},
      { rules: [{ call: 1, do: { failure: { status: 'INTERNAL', message: 'x' } } }, { do: { text: 'x' } }] },
    )
    expect(await outcomes(cut, [{ max_tokens: 2 }, { max_tokens: 2 }])).toEqual(['miss', 'miss'])
    expect((await ask(failing)).status).toBeGreaterThanOrEqual(500)
    expect(await outcomes(failing, [{}, {}])).toEqual(['miss', 'hit'])
  })

  it('passes by requests with masked values', async () => {
    const patterns = [{ name: 'SECRET', match: 'sesame-[0-9]{4}' }]
    const detector = { name: 'secrets', backend: 'pattern', pii_detection: { patterns } }
    await server.writeModelFile('secrets.yaml', stringify(detector))
    const secret = says('It is sesame-1234')
    for (const reversible of [true, false]) {
      const pii = { enabled: true, detectors: ['secrets'], reversible_redactions: reversible }
      const model = await open({ pii })
      expect(await outcomes(model, [secret, secret])).toEqual(['skip', 'skip'])
      expect(await outcomes(model, [says('I am Ada'), says('I am Ada')])).toEqual(['miss', 'hit'])
    }
  })

  it('costs nothing when it hits: the request counts, its tokens do not', async () => {
    const model = await open()
    const path = '/api/usage/all?period=day'
    await ask(model)
    await ask(model)
    await ask(model)
    await expect
      .poll(async () => {
        const reply = await server.call(path, { headers: as('root') })
        const { usage } = reply.json() as { usage: { model: string }[] }
        return usage.filter((one) => one.model === model)
      })
      .toEqual([
        expect.objectContaining({ request_count: 3, prompt_tokens: 6, completion_tokens: 3, cost_micros: 1000 }),
      ])
  })

  it('answers the official clients, streamed and not', async () => {
    const model = await open()
    const openai = new OpenAI({ baseURL: `${server.url}/v1`, apiKey: 'ada' })
    const anthropic = new Anthropic({ baseURL: server.url, apiKey: 'ada' })
    const chat = await openai.chat.completions.create({ model, messages })
    const { data, response } = await openai.chat.completions.create({ model, messages, stream: true }).withResponse()
    let text = ''
    for await (const { choices } of data) text += choices[0]?.delta.content ?? ''
    expect([text, response.headers.get('x-svc-cache')]).toEqual([chat.choices[0]?.message.content, 'hit'])
    const asked = { model, messages, max_tokens: 64 }
    const message = await anthropic.messages.create(asked)
    const again = await anthropic.messages.stream(asked).finalMessage()
    const textOf = ({ content }: Anthropic.Message) => content.map((block) => (block.type === 'text' ? block.text : ''))
    expect(textOf(again)).toEqual(textOf(message))
    expect(again.usage).toMatchObject({ input_tokens: message.usage.input_tokens })
    expect(countCalls(server, model)).toBe(2)
  })

  it('says nothing and keeps nothing where it is not asked to', async () => {
    const model = await open({ response_cache: undefined })
    const replies = [await ask(model), await ask(model, {}, { 'x-svc-cache': 'anything' })]
    expect(replies.map(({ cache }) => cache)).toEqual([undefined, undefined])
    expect(countCalls(server, model)).toBe(2)
  })
})
