import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { PNG } from '../../src/inference/media/__fixtures__/samples.ts'
import { startTestServer, type TestServer } from '../support/server.ts'
import {
  chunk,
  chunks,
  events,
  startUpstreamWorld,
  type UpstreamWorld,
  type Way,
  whole,
} from '../support/upstream-world.ts'

const CHAT = '/v1/chat/completions'
const MESSAGES = '/v1/messages'
const COMPLETIONS = '/v1/completions'
const RESPONSES = '/v1/responses'
const EMBEDDINGS = '/v1/embeddings'
const TEXT = 'some words '.repeat(20)

/** A price in which every figure is another one, so that no two may be mixed up. */
const PRICES = `
currency: USD
rates: { EUR: 1.08 }
prices:
  - { model: full-price*, input: 2.5, cached_input: 1.25, cache_write: 3.125, output: 10, reasoning: 12 }
  - { model: plain-price*, input: 0.15, output: 0.6 }
  - { model: request-price*, input: 1, output: 1, request: 0.0000015 }
  - { model: euro-price*, input: 2, output: 3, currency: EUR }
  - { model: input-price*, input: 3 }
  - { model: free*, input: 0, output: 0 }
  - { model: pictures*, image: 0.04 }
`

/** Figures of the formats for one and the same use. */
interface Figures {
  readonly prompt: number
  readonly cached?: number
  readonly written?: number
  readonly completion: number
  readonly thoughts?: number
}

const toCompatible = ({ prompt, cached, written, completion, thoughts }: Figures): object => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
  ...(cached === undefined && written === undefined
    ? {}
    : { prompt_tokens_details: { cached_tokens: cached, cache_creation_tokens: written } }),
  ...(thoughts === undefined ? {} : { completion_tokens_details: { reasoning_tokens: thoughts } }),
})

const toNative = ({ prompt, cached = 0, written = 0, completion, thoughts }: Figures): object => ({
  input_tokens: prompt - cached - written,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: written,
  output_tokens: completion,
  ...(thoughts === undefined ? {} : { output_tokens_details: { thinking_tokens: thoughts } }),
})

const choice = { index: 0, message: { role: 'assistant', content: TEXT }, text: TEXT, finish_reason: 'stop' }
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'big',
  content: [{ type: 'text', text: TEXT }],
  stop_reason: 'end_turn',
}
const said = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
  { type: 'content_block_stop', index: 0 },
]
const isNative = (way: Way): boolean => way === 'relay-b' || way === 'full-b'

type Reply = Parameters<UpstreamWorld['upstream']['enqueue']>[0]

/** The reply of the provider of a way. */
function replyOf(way: Way, figures: Figures, stream: boolean): Reply {
  if (!isNative(way)) {
    const usage = toCompatible(figures)
    return stream
      ? chunks(chunk({ content: TEXT }), chunk({}, 'stop'), { ...chunk({}), choices: [], usage })
      : whole({ choices: [choice], usage })
  }
  const usage = toNative(figures)
  if (!stream) return whole({ ...message, usage })
  const begun = { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 0 } }
  const { output_tokens, output_tokens_details } = usage as Record<string, unknown>
  const ended = { output_tokens, ...(output_tokens_details === undefined ? {} : { output_tokens_details }) }
  return events(
    { type: 'message_start', message: begun } as { type: string },
    ...said,
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: ended } as {
      type: string
    },
    { type: 'message_stop' },
  )
}

const BODIES: Readonly<Record<string, object>> = {
  [CHAT]: { messages: [{ role: 'user', content: 'Hello there' }] },
  [MESSAGES]: { messages: [{ role: 'user', content: 'Hello there' }], max_tokens: 9 },
  [COMPLETIONS]: { prompt: 'Hello' },
  [RESPONSES]: { input: 'Hello' },
}

/** Figures, the price by its name, and the cost in micro-units; undefined is unknown. */
const USES: readonly (readonly [what: string, price: string, figures: Figures, cost: number | undefined])[] = [
  // 28 * 2.5 + 64 * 1.25 + 8 * 3.125 + 15 * 10 + 5 * 12
  ['everything', 'full-price', { prompt: 100, cached: 64, written: 8, completion: 20, thoughts: 5 }, 385],
  // 1000 * 0.15 + 10 * 0.6
  ['no details', 'plain-price', { prompt: 1000, completion: 10 }, 156],
  // 36 * 2.5 + 64 * 1.25 + 20 * 10
  ['cached tokens', 'full-price', { prompt: 100, cached: 64, completion: 20 }, 370],
  // 3 * 0.15 + 1 * 0.6 = 1.05, and cached tokens at the price of others
  ['a fraction below a half', 'plain-price', { prompt: 3, cached: 2, completion: 1 }, 1],
  // 2 * 0.15 + 2 * 0.6 = 1.5
  ['a half, which is rounded up', 'plain-price', { prompt: 2, completion: 2 }, 2],
  // 1 + 1 + 1.5
  ['a price of requests', 'request-price', { prompt: 1, completion: 1 }, 4],
  // (100 * 2 + 7 * 3) * 1.08 = 238.68
  ['another currency', 'euro-price', { prompt: 100, completion: 7 }, 239],
  ['answers without a price', 'input-price', { prompt: 100, completion: 7 }, undefined],
  ['a price of 0', 'free', { prompt: 100, completion: 7 }, 0],
  ['no price at all', 'nameless', { prompt: 100, completion: 7 }, undefined],
]

const ROUTES: readonly (readonly [way: Way, path: string])[] = [
  ['relay-a', CHAT],
  ['relay-b', MESSAGES],
  ['full-a', CHAT],
  ['full-a', MESSAGES],
  ['full-b', CHAT],
  ['full-b', MESSAGES],
  ['far', CHAT],
  ['far', MESSAGES],
  ['far', COMPLETIONS],
  ['far', RESPONSES],
]

/** The figures of a model in the report. */
async function readModel(server: TestServer, model: string): Promise<Record<string, unknown> | undefined> {
  const reply = await server.call('/api/usage/all?period=day')
  const view = reply.json() as { by_model: Record<string, unknown>[] }
  return view.by_model.find((one) => one.model === model)
}

/** The cost of a model in the report: a number, or `unknown`. */
async function readCost(server: TestServer, model: string): Promise<unknown> {
  const { costs, unpriced_request_count: unpriced, request_count: requests } = (await readModel(server, model)) ?? {}
  if (costs === undefined) return unpriced === requests ? 'unknown' : 'nothing'
  const [{ currency, cost_micros }] = costs as [{ currency: string; cost_micros: number }]
  expect([currency, unpriced]).toEqual(['USD', undefined])
  return cost_micros
}

describe('what a reply of a provider costs, to the micro-unit', () => {
  let world: UpstreamWorld
  beforeAll(async () => {
    world = await startUpstreamWorld({ configFiles: { 'prices.yaml': PRICES } })
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  for (const [what, price, figures, cost] of USES) {
    it.each(ROUTES.flatMap(([way, path]) => [true, false].map((stream) => ({ way, path, stream }))))(
      `${what}: $way $path, streamed: $stream`,
      async ({ way, path, stream }) => {
        const model = `${price}-${what}-${way}${path}-${stream}`.replaceAll(/[^a-z-]/g, '-')
        await world.model(model, way)
        world.upstream.enqueue(replyOf(way, figures, stream))
        const options =
          stream && path !== MESSAGES && path !== RESPONSES ? { stream_options: { include_usage: true } } : {}
        const reply = await world.server.post(path, { model, ...BODIES[path], stream, ...options })
        expect([reply.status, await readCost(world.server, model)]).toEqual([200, cost ?? 'unknown'])
      },
    )
  }

  it.each([
    ['relay-a', 2.5],
    ['full-a', 2.5],
    ['far', 2.5],
  ] as const)('of an estimate and of a stream that is cut: %s', async (way, input) => {
    const model = `full-price-cut-${way}`
    await world.model(model, way)
    world.upstream.enqueue({
      ...chunks(chunk({ content: TEXT })),
      body: [`data: ${JSON.stringify(chunk({ content: TEXT }))}\n\n`],
      end: 'cut',
    })
    await world.server.post(CHAT, { model, ...BODIES[CHAT], stream: true })
    const row = await readModel(world.server, model)
    expect(row).toMatchObject({ completion_tokens: 55, estimated_request_count: 1 })
    // half up, for positive numbers
    const wanted = Math.floor(Number(row?.prompt_tokens) * input + 550 + 0.5)
    expect(await readCost(world.server, model)).toBe(wanted)
  })

  it('of embeddings, which make no answer', async () => {
    await world.server.writeModelFile(
      'input-price-embed.yaml',
      stringify({
        name: 'input-price-embed',
        backend: 'service-proxy',
        known_usecases: ['embeddings'],
        proxy: { upstream_url: `${world.upstream.origin}/v1/x` },
      }),
    )
    world.upstream.enqueue(
      whole({
        object: 'list',
        data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.5] }],
        usage: { prompt_tokens: 8, total_tokens: 8 },
      }),
    )
    const reply = await world.server.post(EMBEDDINGS, { model: 'input-price-embed', input: 'Hello' })
    expect([reply.status, await readCost(world.server, 'input-price-embed')]).toEqual([200, 24])
  })

  it('of images', async () => {
    await world.server.writeModelFile(
      'pictures.yaml',
      stringify({
        name: 'pictures',
        backend: 'service-proxy',
        known_usecases: ['image'],
        proxy: { upstream_url: `${world.upstream.origin}/v1/x`, api: 'openai' },
      }),
    )
    const image = { b64_json: PNG.toString('base64') }
    world.upstream.replyWith(() => whole({ created: 1, data: [image] }))
    const reply = await world.server.post('/v1/images/generations', {
      model: 'pictures',
      prompt: 'a hat',
      n: 2,
      response_format: 'b64_json',
    })
    expect([reply.status, (await readModel(world.server, 'pictures'))?.images]).toEqual([200, 2])
    expect(await readCost(world.server, 'pictures')).toBe(80_000)
  })
})

describe('costs in reports', () => {
  it('are those of the list that held at the time, and never change', async () => {
    await using server = await startTestServer({
      configFiles: { 'prices.yaml': 'prices: [{ model: m, input: 1000, output: 1000 }]' },
    })
    await server.model('m', {})
    expect((await server.chat('m')).status).toBe(200)
    const first = await readModel(server, 'm')
    const each = Number(first?.total_tokens) * 1000
    expect(first?.costs).toEqual([{ currency: 'USD', cost_micros: each }])
    await writeFile(
      join(server.configDir, 'prices.yaml'),
      'currency: EUR\nprices: [{ model: m, input: 2000, output: 2000 }]',
    )
    await expect
      .poll(async () => {
        await server.chat('m')
        return (await readModel(server, 'm'))?.costs
      })
      .toEqual(expect.arrayContaining([expect.objectContaining({ currency: 'EUR' })]))
    const report = (await server.call('/api/usage/all?period=day')).json() as {
      usage: { currency: string; cost_micros: number; request_count: number }[]
      totals: { costs: { currency: string; cost_micros: number }[] }
    }
    expect(report.usage.map(({ currency }) => currency).sort()).toEqual(['EUR', 'USD'])
    for (const { currency, cost_micros, request_count } of report.usage) {
      expect(cost_micros).toBe(each * request_count * (currency === 'EUR' ? 2 : 1))
    }
    expect(report.totals.costs.map(({ currency }) => currency)).toEqual(['EUR', 'USD'])
  })

  it('stay away without a price list', async () => {
    await using server = await startTestServer()
    await server.model('m', {})
    await server.chat('m')
    const text = (await server.call('/api/usage/all')).text + (await server.call('/api/auth/usage/sources')).text
    expect(text).not.toMatch(/cost|currency|unpriced/)
  })

  it('are in tables, sources and metrics, and unknown ones are empty', async () => {
    await using server = await startTestServer({
      configFiles: { 'prices.yaml': 'prices: [{ model: m, request: 0.0125 }]' },
    })
    await server.model('m', {})
    await server.model('other', {})
    for (const model of ['m', 'm', 'other']) expect((await server.chat(model)).status).toBe(200)
    const table = (await server.call('/api/usage/all?format=csv')).text.trim().split('\r\n')
    expect(table[0]).toMatch(/,unpriced_request_count,cost,currency$/)
    expect(table.find((line) => line.includes(',m,'))).toMatch(/,0,0.025,USD$/)
    expect(table.find((line) => line.includes(',other,'))).toMatch(/,1,,USD$/)
    const sources = (await server.call('/api/auth/admin/usage/sources')).json() as {
      totals: { grand_total: object }
    }
    expect(sources.totals.grand_total).toMatchObject({
      costs: [{ currency: 'USD', cost_micros: 25_000 }],
      unpriced_request_count: 1,
    })
    expect((await server.call('/metrics')).text).toContain('svc_cost_micros_total{model="m",currency="USD"} 25000')
  })

  it('come from the file of a model, without a list too', async () => {
    await using server = await startTestServer()
    await server.model(
      'm',
      {},
      { pricing: [{ request: 0.5 }, { from: '2020-01-01', request: 0.25 }, { from: '2999-01-01', request: 9 }] },
    )
    expect((await server.chat('m')).status).toBe(200)
    expect((await readModel(server, 'm'))?.costs).toEqual([{ currency: 'USD', cost_micros: 250_000 }])
  })

  it('a wrong list at the start names its lines, and the server does not start', async () => {
    await expect(
      startTestServer({
        configFiles: {
          'prices.yaml': 'prices:\n  - { model: m, input: 1 }\n  - { model: m, input: -2 }\n  - { model: n, inptu: 1 }',
        },
      }),
    ).rejects.toThrow(
      /prices\.yaml:3: prices\[1\]\.input: must be a decimal number.*prices\.yaml:4: prices\[2\]\.inptu: unknown key/,
    )
  })
})
