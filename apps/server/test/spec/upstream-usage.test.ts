import { once } from 'node:events'
import { request } from 'node:http'
import { createDeferred } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createPeople } from '../support/people.ts'
import type { TestServer } from '../support/server.ts'
import {
  chunk,
  chunks,
  events,
  readEvents,
  startUpstreamWorld,
  streams,
  type UpstreamWorld,
  type Way,
  whole,
} from '../support/upstream-world.ts'
import { verifies } from './verifies.ts'

const CHAT = '/v1/chat/completions'
const MESSAGES = '/v1/messages'
const messages = [{ role: 'user', content: 'Hello there' }]
const TEXT = 'some words '.repeat(20)
/** Tokens of {@link TEXT} as they are estimated: 220 bytes. */
const TEXT_TOKENS = 55

const choice = { index: 0, message: { role: 'assistant', content: TEXT }, finish_reason: 'stop' }
const message = {
  id: 'm',
  type: 'message',
  role: 'assistant',
  model: 'big',
  content: [{ type: 'text', text: TEXT }],
  stop_reason: 'end_turn',
}
const start = (usage: object) => ({
  type: 'message_start',
  message: { ...message, content: [], stop_reason: null, usage },
})
const said = [
  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: TEXT } },
  { type: 'content_block_stop', index: 0 },
]
const stop = (usage: object) => [
  { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage },
  { type: 'message_stop' },
]

/** The row of a model in the report. */
async function readRow(server: TestServer, model: string): Promise<Record<string, number>> {
  const reply = await server.call('/api/usage/all?period=day')
  const view = reply.json() as { by_model: ({ model: string } & Record<string, number>)[] }
  const { model: _, ...row } = view.by_model.find((one) => one.model === model) ?? { model }
  return row
}

let world: UpstreamWorld
beforeAll(async () => {
  world = await startUpstreamWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

describe('cached and reasoning tokens of an upstream', () => {
  const compatible = {
    prompt_tokens: 100,
    completion_tokens: 20,
    total_tokens: 120,
    prompt_tokens_details: { cached_tokens: 64, cache_creation_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 5 },
  }
  const native = {
    input_tokens: 28,
    cache_read_input_tokens: 64,
    cache_creation_input_tokens: 8,
    output_tokens: 20,
    output_tokens_details: { thinking_tokens: 5 },
  }
  const response = {
    input_tokens: 100,
    input_tokens_details: { cached_tokens: 64, cache_write_tokens: 8 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 5 },
    total_tokens: 120,
  }
  const CASES: readonly (readonly [way: Way, path: string, body: object, usage: object])[] = [
    ['relay-a', CHAT, { messages }, compatible],
    ['relay-b', MESSAGES, { messages, max_tokens: 9 }, native],
    ['full-a', CHAT, { messages }, compatible],
    ['full-a', MESSAGES, { messages, max_tokens: 9 }, native],
    ['full-b', CHAT, { messages }, compatible],
    ['full-b', MESSAGES, { messages, max_tokens: 9 }, native],
    ['far', CHAT, { messages }, compatible],
    ['far', MESSAGES, { messages, max_tokens: 9 }, native],
    ['far', '/v1/completions', { prompt: 'Hello' }, compatible],
    ['far', '/v1/responses', { input: 'Hello' }, response],
  ]

  verifies(
    ['upstream:usage:details', 'upstream:usage:recorded'],
    'reach the client in every format that has fields for them, and the usage report, whole and streamed',
    async () => {
      const { server, upstream } = world
      upstream.replyWith((asked) => {
        const isMessages =
          JSON.parse(asked.text()).max_tokens !== undefined && asked.header('anthropic-version').length > 0
        if (isMessages) {
          const last = { output_tokens: 20, output_tokens_details: native.output_tokens_details }
          return streams(asked)
            ? events(start({ ...native, output_tokens: 1, output_tokens_details: null }), ...said, ...stop(last))
            : whole({ ...message, usage: native })
        }
        return streams(asked)
          ? chunks(chunk({ content: TEXT }), chunk({}, 'stop'), { ...chunk({}), choices: [], usage: compatible })
          : whole({ choices: [{ ...choice, text: TEXT }], usage: compatible })
      })
      const requests = new Map<string, number>()
      for (const [model, path, body, usage] of CASES) {
        for (const stream of [false, true]) {
          const asked = { model, ...body, stream, ...(stream ? { stream_options: { include_usage: true } } : {}) }
          const reply = await server.post(path, asked)
          const seen = stream ? findUsage(readEvents(reply.text)) : (reply.json() as { usage: object }).usage
          expect([model, path, stream, reply.status, seen]).toEqual([model, path, stream, 200, usage])
          requests.set(model, (requests.get(model) ?? 0) + 1)
        }
      }
      for (const [model, count] of requests) {
        expect([model, await readRow(server, model)]).toEqual([
          model,
          {
            prompt_tokens: 100 * count,
            completion_tokens: 20 * count,
            total_tokens: 120 * count,
            request_count: count,
            cached_tokens: 64 * count,
            reasoning_tokens: 5 * count,
            cache_write_tokens: 8 * count,
          },
        ])
      }
    },
  )

  /** The usage that a client of a stream ends with. */
  function findUsage(list: readonly Record<string, unknown>[]): object {
    let usage = {}
    for (const event of list) {
      const { message: begun, response: ended } = event as {
        message?: { usage?: object }
        response?: { usage?: object }
      }
      usage = { ...usage, ...begun?.usage, ...ended?.usage, ...(event.usage as object | undefined) }
    }
    return usage
  }
})

describe('tokens that an upstream does not say', () => {
  type Reply = Parameters<UpstreamWorld['upstream']['enqueue']>[0]
  const noFigures = chunks(chunk({ content: TEXT }), chunk({}, 'stop'))
  const cut = (reply: object): Reply => ({ ...reply, end: 'cut' })
  const half = { ...noFigures, body: [...(noFigures.body as string[])].slice(0, 1) }

  interface Case {
    readonly way: Way
    readonly path?: string
    readonly stream?: boolean
    readonly reply: Reply
    /** Tokens of the answer. */
    readonly answer: number
    /** Tokens of the prompt, where the upstream reports them. */
    readonly prompt?: number
  }

  const CASES: readonly (readonly [name: string, Case])[] = [
    ['a relayed stream', { way: 'relay-a', stream: true, reply: noFigures, answer: TEXT_TOKENS }],
    ['a translated stream', { way: 'full-a', stream: true, reply: noFigures, answer: TEXT_TOKENS }],
    ['a translated stream of text', { way: 'text-a', stream: true, reply: noFigures, answer: TEXT_TOKENS }],
    ['a stream of an instance', { way: 'far', stream: true, reply: noFigures, answer: TEXT_TOKENS }],
    ['a relayed reply', { way: 'relay-a', reply: whole({ choices: [choice] }), answer: TEXT_TOKENS }],
    ['a translated reply', { way: 'full-a', reply: whole({ choices: [choice] }), answer: TEXT_TOKENS }],
    ['a reply of an instance', { way: 'far', reply: whole({ choices: [choice] }), answer: TEXT_TOKENS }],
    [
      'a stream whose figures are 0',
      {
        way: 'relay-a',
        stream: true,
        reply: chunks(
          chunk({ content: TEXT }),
          chunk({}, 'stop', { usage: { prompt_tokens: 0, completion_tokens: 0 } }),
        ),
        answer: TEXT_TOKENS,
      },
    ],
    [
      'thoughts and calls',
      {
        way: 'relay-a',
        stream: true,
        reply: chunks(
          chunk({ reasoning_content: TEXT }),
          chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'f', arguments: TEXT } }] }),
          chunk({}, 'tool_calls'),
        ),
        answer: 2 * TEXT_TOKENS + 1,
      },
    ],
    ['a relayed stream that is cut', { way: 'relay-a', stream: true, reply: cut(half), answer: TEXT_TOKENS }],
    ['a translated stream that is cut', { way: 'full-a', stream: true, reply: cut(half), answer: TEXT_TOKENS }],
    ['a stream of an instance that is cut', { way: 'far', stream: true, reply: cut(half), answer: TEXT_TOKENS }],
    [
      'relayed messages that are cut behind their first figures',
      {
        way: 'relay-b',
        path: MESSAGES,
        stream: true,
        reply: cut(events(start({ input_tokens: 30, output_tokens: 1 }), ...said.slice(0, 2))),
        prompt: 30,
        answer: 1 + TEXT_TOKENS,
      },
    ],
    [
      'translated messages that are cut behind their first figures',
      {
        way: 'full-b',
        path: MESSAGES,
        stream: true,
        reply: cut(events(start({ input_tokens: 30, output_tokens: 1 }), ...said.slice(0, 2))),
        prompt: 30,
        answer: 1 + TEXT_TOKENS,
      },
    ],
    [
      'a stream that is cut behind running totals',
      {
        way: 'relay-a',
        stream: true,
        reply: cut({
          ...half,
          body: [
            `data: ${JSON.stringify(chunk({ content: 'Hi' }, null, { usage: { prompt_tokens: 30, completion_tokens: 7 } }))}\n\n`,
            ...half.body,
          ],
        }),
        prompt: 30,
        answer: 7 + TEXT_TOKENS,
      },
    ],
  ]

  describe('are estimated and marked', () => {
    for (const [index, [name, { way, path = CHAT, stream = false, reply, answer, prompt }]] of CASES.entries()) {
      // verifies usage:estimate:marked, usage:estimate:cut
      it(name, async () => {
        const model = `estimated-${index}`
        await world.model(model, way)
        world.upstream.enqueue(reply)
        const body = { model, messages, stream, ...(path === MESSAGES ? { max_tokens: 9 } : {}) }
        expect((await world.server.post(path, body)).status).toBe(200)
        const prompts = prompt ?? Math.ceil(JSON.stringify(body).length / 4)
        expect(await readRow(world.server, model)).toEqual({
          prompt_tokens: prompts,
          completion_tokens: answer,
          total_tokens: prompts + answer,
          request_count: 1,
          estimated_tokens: prompts + answer,
          estimated_request_count: 1,
        })
      })
    }

    it.each(['relay-a', 'full-a', 'far'] as const)('of a stream that its client leaves: %s', async (way) => {
      const model = `left-${way}`
      await world.model(model, way)
      const rest = createDeferred<void>()
      world.upstream.enqueue({ ...half, body: [...half.body, rest.promise] })
      const body = JSON.stringify({ model, messages, stream: true })
      const { hostname, port } = new URL(world.server.url)
      const client = request({
        hostname,
        port,
        path: CHAT,
        method: 'POST',
        headers: { 'content-type': 'application/json' },
      })
      client.on('error', () => undefined)
      client.end(body)
      const [reply] = await once(client, 'response')
      for await (const piece of reply) if (String(piece).includes('some words')) break
      client.destroy()
      await world.upstream.requests.at(-1)?.outcome
      rest.resolve()
      await expect.poll(() => readRow(world.server, model)).toMatchObject({ request_count: 1 })
      const prompts = Math.ceil(body.length / 4)
      expect(await readRow(world.server, model)).toMatchObject({
        prompt_tokens: prompts,
        completion_tokens: TEXT_TOKENS,
        estimated_request_count: 1,
      })
    })
  })

  it.each([
    ['relay-b', MESSAGES],
    ['full-b', MESSAGES],
    ['full-b', CHAT],
  ] as const)('are none where the last figures of an answer repeat the first: %s %s', async (way, path) => {
    const model = `repeated-${way}-${path === CHAT ? 'chat' : 'messages'}`
    await world.model(model, way)
    world.upstream.enqueue(
      events(start({ input_tokens: 30, output_tokens: 1 }), ...said, ...stop({ output_tokens: 1 })),
    )
    expect((await world.server.post(path, { model, messages, stream: true, max_tokens: 9 })).status).toBe(200)
    expect(await readRow(world.server, model)).toMatchObject({ completion_tokens: 1, total_tokens: 31 })
    expect(await readRow(world.server, model)).not.toHaveProperty('estimated_tokens')
  })

  it.each<[string, Reply, number]>([
    ['an error of the upstream', { status: 429, body: '{}' }, 429],
    ['a stream that ends before its first event', cut({ ...half, body: ['data: {"cho'] }), 502],
    ['a redirect', { status: 302, headers: { location: '/' } }, 502],
  ])('of a request that failed leave no row: %s', async (name, reply, status) => {
    const model = `failed ${name}`
    await world.model(model, 'relay-a')
    world.upstream.enqueue(reply)
    expect((await world.server.chat(model, { stream: true })).status).toBe(status)
    expect(await readRow(world.server, model)).toEqual({})
  })

  const as = (who: string) => ({ authorization: `Bearer ${who}` })
  const quota = { id: 'rule', userId: 'ada', model: '', maxRequests: undefined, maxTokens: 100, windowMs: 3_600_000 }

  verifies(
    'usage:estimate:quota',
    'are settled against quotas: thirty streams do not pass a hundred tokens',
    async () => {
      const createdAt = Date.now()
      for (const way of ['relay-a', 'full-a', 'far'] as const) {
        const authenticator = createPeople(() => ({ quotas: [{ ...quota, createdAt }] }))
        await using limited = await startUpstreamWorld({ authenticator })
        limited.upstream.replyWith(noFigures)
        const statuses: number[] = []
        // The first request has 100 tokens left; each uses some 80.
        for (let index = 0; index < 30; index += 1) {
          statuses.push((await limited.server.chat(way, { stream: true }, as('ada'))).status)
        }
        expect([way, statuses.filter((status) => status === 200).length]).toEqual([way, 2])
      }
    },
  )
})

describe('proxy.stream_usage', () => {
  const usage = { prompt_tokens: 30, completion_tokens: 7, total_tokens: 37 }
  const figures = { ...chunk({}), choices: [], usage }
  const text = chunk({ content: 'Hi' }, null, { usage: null })
  const end = chunk({}, 'stop', { usage: null })

  verifies(
    'cloud-proxy:stream-usage:asks',
    'asks a relayed stream for its figures, and keeps them from a client that did not ask',
    async () => {
      await world.model('asking', 'relay-a', { stream_usage: true })
      world.upstream.enqueue(
        chunks(text, end, figures),
        chunks(text, end, figures),
        whole({ choices: [choice], usage }),
      )
      const reply = await world.server.chat('asking', { stream: true })
      expect(world.asked().stream_options).toEqual({ include_usage: true })
      expect(readEvents(reply.text)).toEqual([chunk({ content: 'Hi' }), chunk({}, 'stop')])
      expect(reply.text.endsWith('data: [DONE]\n\n')).toBe(true)
      const asking = await world.server.chat('asking', { stream: true, stream_options: { include_usage: true } })
      expect(readEvents(asking.text)).toEqual([text, end, figures])
      await world.server.chat('asking')
      expect(world.asked()).not.toHaveProperty('stream_options')
      expect(await readRow(world.server, 'asking')).toEqual({
        prompt_tokens: 90,
        completion_tokens: 21,
        total_tokens: 111,
        request_count: 3,
      })
    },
  )

  it('set to false keeps a translation from asking, for upstreams that refuse the question', async () => {
    await world.model('silent', 'full-a', { stream_usage: false })
    world.upstream.enqueue(chunks(text, end), chunks(text, end))
    await world.server.chat('silent', { stream: true })
    expect(world.asked()).not.toHaveProperty('stream_options')
    await world.server.chat('full-a', { stream: true })
    expect(world.asked().stream_options).toEqual({ include_usage: true })
  })
})

describe('a prompt that is not continued', () => {
  // verifies completions:limit:none
  it('counts as a prompt, not as the answer that its echo looks like', async () => {
    const { server, upstream } = world
    upstream.replyWith({ status: 404, headers: { 'content-type': 'application/json' }, body: '{}' })
    const [known, before] = [upstream.requests.length, await readRow(server, 'far')]
    const asked = { model: 'far', prompt: TEXT, echo: true, max_tokens: 0 }
    const reply = await server.post('/v1/completions', asked)
    expect([reply.status, reply.json()]).toMatchObject([200, { choices: [{ text: TEXT, finish_reason: 'length' }] }])
    expect(upstream.requests.slice(known).map(({ path }) => path)).toEqual(['/v1/tokenize'])
    const after = await readRow(server, 'far')
    const more = (name: string): number => (after[name] ?? 0) - (before[name] ?? 0)
    expect([more('request_count'), more('estimated_request_count'), more('completion_tokens')]).toEqual([1, 1, 0])
    expect(more('prompt_tokens')).toBeGreaterThanOrEqual(TEXT_TOKENS)
  })
})
