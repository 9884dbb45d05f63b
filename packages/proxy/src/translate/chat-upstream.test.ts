import { createHttpUpstream } from '@svc/http-client'
import { startUpstream, type UpstreamScript } from '@svc/test-kit'
import type { ChatCompletionRequest } from '@svc/wire/openai'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { chunkStream, createEmptyStream, joinChunks, messagesStream } from '../../test/streams.ts'
import { type ChatUpstreamOptions, createChatUpstream } from './chat-upstream.ts'
import { createTranslator, type TranslatorOptions } from './translator.ts'

const chat: ChatCompletionRequest = { messages: [{ role: 'user', content: 'hi' }] }
const never = new AbortController().signal
const MESSAGE = { id: 'a', model: 'l', content: [{ type: 'text', text: 'ho' }], stop_reason: 'end_turn', usage: {} }
const json = (body: unknown): UpstreamScript => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
const sse = (body: string): UpstreamScript => ({ headers: { 'content-type': 'text/event-stream' }, body })

let mock: Awaited<ReturnType<typeof startUpstream>>
const client = createHttpUpstream()
beforeEach(async () => {
  mock = await startUpstream()
})
afterEach(() => mock.close())
afterAll(() => client.close())

function open(translation: Partial<TranslatorOptions> = {}, options: Partial<ChatUpstreamOptions> = {}) {
  return createChatUpstream({
    upstream: client,
    translator: createTranslator({ provider: 'provider_b', model: 'large-1', ...translation }),
    url: new URL('/some/endpoint?x=1', mock.origin),
    ...options,
  })
}

const last = () => {
  const request = mock.requests.at(-1)
  if (request === undefined) throw new Error('nothing was asked')
  return request
}

describe('a whole reply', () => {
  it('is asked for in the format of the upstream, at its very address', async () => {
    mock.enqueue(json(MESSAGE))
    const reply = await open({}, { headers: [['x-api-key', 'k']] }).complete(
      { ...chat, stream: true },
      { signal: never },
    )
    expect(reply.choices[0]?.message.content).toBe('ho')
    expect(last()).toMatchObject({ method: 'POST', path: '/some/endpoint?x=1' })
    expect(JSON.parse(last().text())).toEqual({
      model: 'large-1',
      max_tokens: 4096,
      messages: [{ role: 'user', content: 'hi' }],
    })
    expect(Object.fromEntries(last().headers.map(([name, value]) => [name.toLowerCase(), value]))).toMatchObject({
      'content-type': 'application/json',
      accept: 'application/json',
      'x-api-key': 'k',
      'anthropic-version': '2023-06-01',
    })
  })

  it('names the version of the format once', async () => {
    mock.enqueue(json(MESSAGE))
    await open({}, { headers: [['anthropic-version', '2030-01-01']] }).complete(chat, { signal: never })
    expect(last().header('anthropic-version')).toEqual(['2030-01-01'])
  })

  it('of the compatible format has no version', async () => {
    mock.enqueue(json({ choices: [{ message: { content: 'ho' }, finish_reason: 'stop' }] }))
    const reply = await open({ provider: 'provider_a' }).complete(chat, { signal: never })
    expect(reply.choices[0]?.message.content).toBe('ho')
    expect(last().header('anthropic-version')).toEqual([])
  })

  it('marks the prompt where the upstream may keep it', async () => {
    mock.enqueue(json(MESSAGE), json(MESSAGE), json({ choices: [{ message: { content: 'ho' } }] }))
    await open({ cachePrompt: true }).complete(chat, { signal: never })
    expect(last().text()).toContain('"cache_control":{"type":"ephemeral"}')
    await open().complete(chat, { signal: never })
    expect(last().text()).not.toContain('cache_control')
    await open({ cachePrompt: true, provider: 'provider_a' }).complete(chat, { signal: never })
    expect(last().text()).not.toContain('cache_control')
  })

  it('counts the servers that it has passed, and fails in a loop', async () => {
    mock.replyWith(json(MESSAGE))
    const client = (name: string) =>
      ({
        'x-svc-hop': '2',
        traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
        authorization: 'mine',
      })[name]
    await open().complete(chat, { signal: never, client })
    expect(last().header('x-svc-hop')).toEqual(['3'])
    expect(last().header('traceparent')).toEqual(['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'])
    expect(last().header('authorization')).toEqual([])
    await open().complete(chat, { signal: never })
    expect(last().header('x-svc-hop')).toEqual(['1'])
    const round = open().complete(chat, { signal: never, client: () => '4' })
    await expect(round).rejects.toMatchObject({ kind: 'loop' })
    expect(mock.requests).toHaveLength(2)
  })

  it('that is refused here is never asked for', async () => {
    const before = mock.requests.length
    const content = [{ type: 'image_url' as const, image_url: { url: 'https://a/b' } }]
    const asking = open().complete({ messages: [{ role: 'user', content }] }, { signal: never })
    await expect(asking).rejects.toMatchObject({ code: 'text_only' })
    expect(mock.requests).toHaveLength(before)
  })

  it('must come before the time limit', async () => {
    mock.enqueue({ body: [new Promise(() => {})] })
    const asking = open({}, { requestTimeoutMs: 50 }).complete(chat, { signal: never })
    await expect(asking).rejects.toMatchObject({ kind: 'timeout' })
  })
})

describe('an error of the upstream', () => {
  const error = { status: 529, headers: { 'content-type': 'text/plain; x=1', 'retry-after': '3' }, body: 'so busy\n' }

  it.each([true, false])('is handed on as it is, streaming %s', async (stream) => {
    mock.enqueue(error)
    const upstream = open()
    const asking = stream
      ? joinChunks(upstream.stream(chat, { signal: never }))
      : upstream.complete(chat, { signal: never })
    await expect(asking).rejects.toMatchObject({
      name: 'UpstreamStatusError',
      status: 529,
      contentType: 'text/plain; x=1',
      body: Buffer.from('so busy\n'),
      retryAfterMs: 3000,
    })
  })

  it('never holds the key that it was called with', async () => {
    const body = Buffer.concat([Buffer.from('wrong key: sk-1!'), Buffer.of(0xff), Buffer.from('sk-1')])
    const headers = { 'content-type': 'text/plain', 'retry-after': '3' }
    for (const header of [['x-api-key', 'sk-1'] as const, ['authorization', 'Bearer sk-1'] as const]) {
      mock.enqueue({ status: 401, headers, body })
      await expect(open({}, { headers: [header] }).complete(chat, { signal: never })).rejects.toMatchObject({
        status: 401,
        contentType: 'text/plain',
        retryAfterMs: 3000,
        body: Buffer.concat([Buffer.from('wrong key: [key]!'), Buffer.of(0xff), Buffer.from('[key]')]),
      })
      mock.enqueue(sse(messagesStream({ type: 'error', error: { type: 'x', message: 'bad sk-1' } } as never)))
      await expect(joinChunks(open({}, { headers: [header] }).stream(chat, { signal: never }))).rejects.toMatchObject({
        message: 'the upstream failed: bad [key]',
        code: 'upstream_error',
        details: { type: 'x' },
      })
    }
  })

  it('is not tried again', async () => {
    const before = mock.requests.length
    mock.enqueue({ status: 503 })
    await expect(open().complete(chat, { signal: never })).rejects.toMatchObject({ status: 503 })
    expect(mock.requests).toHaveLength(before + 1)
  })

  it('is 502 where it leads elsewhere, and the key goes nowhere', async () => {
    await using other = await startUpstream()
    mock.enqueue({ status: 307, headers: { location: `${other.origin}/x` } })
    const asking = open({}, { headers: [['x-api-key', 'k']] }).complete(chat, { signal: never })
    await expect(asking).rejects.toMatchObject({ kind: 'upstream_failed', code: 'upstream_redirect' })
    expect(other.requests).toEqual([])
  })

  it('is 502 without a listener', async () => {
    const gone = await startUpstream()
    await gone.close()
    const asking = open({}, { url: new URL(gone.origin) }).complete(chat, { signal: never })
    await expect(asking).rejects.toMatchObject({ kind: 'upstream_failed' })
  })
})

describe('a stream', () => {
  const EVENTS = messagesStream(
    { type: 'message_start', message: { id: 'a', model: 'l', usage: { input_tokens: 1 } } } as never,
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'ho' } } as never,
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } } as never,
    { type: 'message_stop' },
  )

  it('is asked for as one', async () => {
    mock.enqueue(sse(EVENTS))
    expect(await joinChunks(open().stream(chat, { signal: never }))).toMatchObject({
      text: 'ho',
      finish: 'stop',
      usage: { total_tokens: 3 },
    })
    expect(JSON.parse(last().text()).stream).toBe(true)
    expect(last().header('accept')).toEqual(['text/event-stream'])
  })

  it('tells its figures as they come', async () => {
    mock.enqueue(sse(EVENTS))
    const figures: number[] = []
    await joinChunks(open().stream(chat, { signal: never, onUsage: (usage) => figures.push(usage.total_tokens) }))
    expect(figures).toEqual([1, 3])
  })

  it('sends nothing before the first pull', () => {
    const before = mock.requests.length
    open().stream(chat, { signal: never })
    expect(mock.requests).toHaveLength(before)
  })

  it('that does not stream is the same in one', async () => {
    mock.enqueue(json({ ...MESSAGE, usage: { input_tokens: 1, output_tokens: 2 } }))
    expect(await joinChunks(open().stream(chat, { signal: never }))).toMatchObject({
      text: 'ho',
      finish: 'stop',
      usage: { total_tokens: 3 },
    })
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const message = { content: null, reasoning: 'hm', tool_calls: [call] }
    mock.enqueue(json({ choices: [{ message, finish_reason: 'tool_calls' }] }))
    const upstream = open({ provider: 'provider_a', mode: 'full' })
    expect(await joinChunks(upstream.stream(chat, { signal: never }))).toEqual({
      ...createEmptyStream(),
      reasoning: 'hm',
      calls: [{ id: 'c', name: 'f', arguments: '{}' }],
      finish: 'tool_calls',
    })
  })

  it('has no time limit, a whole reply has its own', async () => {
    const limits: unknown[] = []
    const upstream: ChatUpstreamOptions['upstream'] = {
      send: (request, options) => {
        limits.push(request.timeoutMs)
        return client.send(request, options)
      },
    }
    const limited = open({}, { upstream, requestTimeoutMs: 60_000 })
    mock.enqueue(sse(EVENTS), json(MESSAGE))
    await joinChunks(limited.stream(chat, { signal: never }))
    await limited.complete(chat, { signal: never })
    expect(limits).toEqual([undefined, 60_000])
  })

  it('cut by the connection is an error after the received part', async () => {
    mock.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: chunkStream({ choices: [{ index: 0, delta: { content: 'ho' } }] }).replace('data: [DONE]\n\n', ''),
      end: 'cut',
    })
    const heard = createEmptyStream()
    const stream = open({ provider: 'provider_a' }).stream(chat, { signal: never })
    await expect(joinChunks(stream, heard)).rejects.toMatchObject({ kind: 'upstream_failed' })
    expect(heard.text).toBe('ho')
  })

  it('that is left early ends the request upstream', async () => {
    mock.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: [EVENTS.split('\n\n')[0] ?? '', '\n\n', new Promise(() => {})],
    })
    for await (const first of open().stream(chat, { signal: never })) {
      expect(first.choices).toHaveLength(1)
      break
    }
    expect(await last().outcome).toBe('aborted')
  })

  it('that is cancelled ends the request upstream', async () => {
    const controller = new AbortController()
    mock.enqueue({
      headers: { 'content-type': 'text/event-stream' },
      body: [EVENTS.split('\n\n')[0] ?? '', '\n\n', new Promise(() => {})],
    })
    const stream = open().stream(chat, { signal: controller.signal })
    await stream.next()
    controller.abort()
    await expect(stream.next()).rejects.toMatchObject({ kind: 'cancelled' })
    expect(await last().outcome).toBe('aborted')
  })
})
