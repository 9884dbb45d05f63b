import { randomBytes } from 'node:crypto'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { createDeferred, createFakeClock, type ReplyStep, startUpstream } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { openClient } from './__fixtures__/test-client.ts'

const tooLarge = {
  kind: 'too_large',
  code: 'fetch_too_large',
  message: 'the content behind the URL is too large',
}

const timedOut = (reason: string) => ({
  kind: 'timeout',
  code: 'fetch_timeout',
  message: 'the URL did not answer in time',
  details: { upstream: true, reason },
})

function* endless(piece: Uint8Array | string): Generator<ReplyStep> {
  for (;;) yield piece
}

describe('the size of content', () => {
  it('may be exactly as large as allowed', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ body: 'x'.repeat(1000) })
    const { client, request } = openClient({}, { maxBytes: 1000 })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    expect(await reply.bytes()).toHaveLength(1000)
  })

  it('is refused by its headers, and the connection is cut', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ headers: { 'content-length': '1001' }, body: ['x', new Promise(() => {})] })
    const { client, request } = openClient({}, { maxBytes: 1000 })
    const fetching = client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await expect(fetching).rejects.toMatchObject(tooLarge)
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })

  it('is counted when the headers have no length; the reader gets no more than allowed', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ body: endless('x'.repeat(30_000)) })
    const { client, request } = openClient({}, { maxBytes: 100_000 })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    let received = 0
    const reading = (async () => {
      for await (const chunk of reply.body) received += chunk.length
    })()
    await expect(reading).rejects.toMatchObject(tooLarge)
    expect(received).toBeLessThanOrEqual(100_000)
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })

  it.each([
    ['gzip', gzipSync],
    ['br', brotliCompressSync],
  ] as const)('is counted after decoding %s', async (coding, encode) => {
    await using upstream = await startUpstream()
    const text = randomBytes(1000).toString('hex')
    upstream.replyWith({ headers: { 'content-encoding': coding }, body: encode(text) })
    const { client, request } = openClient()
    const url = `http://127.0.0.1:${upstream.port}/`
    const reply = await client.fetch(url, { ...request, maxBytes: 2000 })
    expect(reply.headers['content-encoding']).toBeUndefined()
    expect(String(await reply.bytes())).toBe(text)
    const refused = await client.fetch(url, { ...request, maxBytes: 1999 })
    await expect(refused.bytes()).rejects.toMatchObject(tooLarge)
  })

  it.each([
    ['gzip', gzipSync(Buffer.alloc(20_000_000))],
    ['br', brotliCompressSync(Buffer.alloc(20_000_000))],
  ])('may not grow beyond reason by decoding %s', async (coding, bomb) => {
    await using upstream = await startUpstream()
    upstream.replyWith({ headers: { 'content-encoding': coding }, body: bomb })
    const { client, request } = openClient({}, { maxBytes: 1_000_000_000 })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    let received = 0
    const reading = (async () => {
      for await (const chunk of reply.body) received += chunk.length
    })()
    await expect(reading).rejects.toMatchObject(tooLarge)
    expect(received).toBeLessThan(10_000_000)
  })

  it('is limited on the wire too, when it decodes to nothing', async () => {
    await using upstream = await startUpstream()
    // A gzip header and endless empty stored blocks.
    const header = gzipSync('').subarray(0, 10)
    const emptyBlocks = Buffer.concat(Array.from({ length: 1000 }, () => Buffer.of(0, 0, 0, 0xff, 0xff)))
    const body = (function* () {
      yield header
      yield* endless(emptyBlocks)
    })()
    upstream.replyWith({ headers: { 'content-encoding': 'gzip' }, body })
    const { client, request } = openClient({}, { maxBytes: 100_000 })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await expect(reply.bytes()).rejects.toMatchObject(tooLarge)
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })

  it('is left encoded when decoding is not wanted', async () => {
    await using upstream = await startUpstream()
    const encoded = gzipSync('hello')
    upstream.replyWith({ headers: { 'content-encoding': 'gzip' }, body: encoded })
    const { client, request } = openClient({}, { decode: false })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    expect(reply.headers['content-encoding']).toBe('gzip')
    expect(await reply.bytes()).toEqual(encoded)
  })

  it.each(['zstd', 'gzip, gzip'])('in a coding that was not asked for is a failure: %s', async (coding) => {
    await using upstream = await startUpstream()
    upstream.replyWith({ headers: { 'content-encoding': coding }, body: ['x', new Promise(() => {})] })
    const { client, request } = openClient()
    const fetching = client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await expect(fetching).rejects.toMatchObject({ code: 'fetch_failed', details: { reason: 'invalid_encoding' } })
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })
})

describe('the time of a fetch', () => {
  it('ends while a name is looked up', async () => {
    const clock = createFakeClock()
    const { client, request } = openClient({ clock, resolve: () => new Promise(() => {}) })
    const fetching = client.fetch('http://slow.example/', { ...request, trust: 'public', timeoutMs: 1000 })
    const failed = expect(fetching).rejects.toMatchObject(timedOut('total'))
    await clock.waitForSleepers(2)
    await clock.advance(1000)
    await failed
  })

  it('ends while headers are waited for, and the connection is cut', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith(() => new Promise(() => {}))
    const clock = createFakeClock()
    const { client, request } = openClient({ clock }, { timeoutMs: 60_000 })
    const fetching = client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    const failed = expect(fetching).rejects.toMatchObject(timedOut('idle'))
    const { outcome } = await upstream.request(0)
    await clock.advance(30_000)
    await failed
    expect(await outcome).toBe('aborted')
    expect(clock.sleepers).toBe(0)
  })

  it('ends while the headers of a later hop are waited for', async () => {
    await using upstream = await startUpstream()
    upstream.enqueue({ status: 302, headers: { location: '/next' } })
    upstream.replyWith(() => new Promise(() => {}))
    const clock = createFakeClock()
    const { client, request } = openClient({ clock }, { timeoutMs: 60_000, redirects: 1 })
    const fetching = client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    const failed = expect(fetching).rejects.toMatchObject(timedOut('idle'))
    await upstream.request(1)
    await clock.advance(30_000)
    await failed
  })

  it('ends when content stops coming', async () => {
    await using upstream = await startUpstream()
    const gate = createDeferred()
    upstream.replyWith({ body: ['first', gate.promise, 'second', new Promise(() => {})] })
    const clock = createFakeClock()
    const { client, request } = openClient({ clock }, { timeoutMs: 60_000, idleTimeoutMs: 5000 })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    const content = reply.body[Symbol.asyncIterator]()
    expect(String((await content.next()).value)).toBe('first')
    // The reader does not wait meanwhile.
    await clock.advance(20_000)
    gate.resolve()
    expect(String((await content.next()).value)).toBe('second')
    const failed = expect(content.next()).rejects.toMatchObject(timedOut('idle'))
    await clock.advance(5000)
    await failed
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
    expect(clock.sleepers).toBe(0)
  })

  it('ends although content keeps coming', async () => {
    await using upstream = await startUpstream()
    const gates = Array.from({ length: 10 }, () => createDeferred())
    upstream.replyWith({ body: gates.flatMap(({ promise }) => ['x', promise]) })
    const clock = createFakeClock()
    const { client, request } = openClient({ clock }, { timeoutMs: 10_000, idleTimeoutMs: 5000 })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    const content = reply.body[Symbol.asyncIterator]()
    for (const gate of gates.slice(0, 3)) {
      expect(String((await content.next()).value)).toBe('x')
      await clock.advance(3000)
      gate.resolve()
    }
    await content.next()
    const failed = expect(content.next()).rejects.toMatchObject(timedOut('total'))
    await clock.advance(1000)
    await failed
  })

  it('is let go once the content has been read', async () => {
    await using upstream = await startUpstream()
    const clock = createFakeClock()
    const { client, request } = openClient({ clock })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await reply.bytes()
    expect(clock.sleepers).toBe(0)
  })
})

describe('an abort', () => {
  const reason = new Error('client gone')

  it('before the fetch looks up and connects nothing', async () => {
    await using upstream = await startUpstream()
    const lookups: string[] = []
    const resolve = async (host: string) => {
      lookups.push(host)
      return ['127.0.0.1']
    }
    const { client, request } = openClient({ resolve })
    const signal = AbortSignal.abort(reason)
    await expect(client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, signal })).rejects.toBe(reason)
    await expect(client.fetch('http://name.example/', { ...request, signal })).rejects.toBe(reason)
    expect(upstream.connections).toBe(0)
    expect(lookups).toEqual([])
  })

  it('cuts the connection while headers are waited for', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith(() => new Promise(() => {}))
    const { client, request, logged } = openClient()
    const controller = new AbortController()
    const fetching = client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, signal: controller.signal })
    const { outcome } = await upstream.request(0)
    controller.abort(reason)
    await expect(fetching).rejects.toBe(reason)
    expect(await outcome).toBe('aborted')
    expect(logged).toEqual([])
  })

  it.each(['identity', 'gzip'])('cuts the connection while content is read (%s)', async (coding) => {
    await using upstream = await startUpstream()
    const text = randomBytes(50_000).toString('hex')
    const whole = coding === 'gzip' ? gzipSync(text) : Buffer.from(text)
    upstream.replyWith({
      headers: { 'content-encoding': coding },
      body: [whole.subarray(0, 40_000), new Promise(() => {})],
    })
    const { client, request } = openClient()
    const controller = new AbortController()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, signal: controller.signal })
    const content = reply.body[Symbol.asyncIterator]()
    await content.next()
    controller.abort(reason)
    const rest = (async () => {
      while ((await content.next()).done !== true);
    })()
    await expect(rest).rejects.toBe(reason)
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })

  it('is not mistaken for the end when everything had come but was not read', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ body: 'x'.repeat(100) })
    const { client, request } = openClient()
    const controller = new AbortController()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, signal: controller.signal })
    await (await upstream.request(0)).outcome
    controller.abort(reason)
    await expect(reply.bytes()).rejects.toBe(reason)
  })

  it('after the end changes nothing', async () => {
    await using upstream = await startUpstream()
    const { client, request } = openClient()
    const controller = new AbortController()
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, { ...request, signal: controller.signal })
    const bytes = await reply.bytes()
    controller.abort(reason)
    await reply.close()
    expect(String(bytes)).toBe('{}')
  })
})

describe('a reader that leaves', () => {
  it.each(['identity', 'gzip'])('cuts the connection when its loop ends (%s)', async (coding) => {
    await using upstream = await startUpstream()
    const text = randomBytes(100_000).toString('hex')
    const piece = coding === 'gzip' ? gzipSync(text) : text
    upstream.replyWith({ headers: { 'content-encoding': coding }, body: endless(piece) })
    const { client, request } = openClient({}, { maxBytes: 1_000_000_000 })
    const reply = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    for await (const _ of reply.body) break
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
  })

  it('cuts the connection by closing, with or without having read', async () => {
    await using upstream = await startUpstream()
    upstream.replyWith({ body: ['x', new Promise(() => {})] })
    const { client, request } = openClient()
    const untouched = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    await untouched.close()
    expect(await (await upstream.request(0)).outcome).toBe('aborted')
    const begun = await client.fetch(`http://127.0.0.1:${upstream.port}/`, request)
    const content = begun.body[Symbol.asyncIterator]()
    await content.next()
    const failed = expect(content.next()).rejects.toMatchObject({ name: 'AbortError' })
    await begun.close()
    await failed
    expect(await (await upstream.request(1)).outcome).toBe('aborted')
  })
})
