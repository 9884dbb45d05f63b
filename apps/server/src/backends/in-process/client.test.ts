import type { BackendHandlers } from '@svc/backend-kit'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { createInProcessClient } from './client.ts'

/** A handler that waits for its abort and records the reason. */
const waiting: BackendHandlers = {
  predict: (_request, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped in the middle')), { once: true })
    }),
  async *predictStream({ Prompt }, { signal, metadata }) {
    yield { message: Buffer.from(`${Prompt} ${metadata.trace ?? ''}`) }
    signal.throwIfAborted()
    await new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped in the middle')), { once: true })
    })
  },
}

describe('a client of handlers in this process', () => {
  it('calls them with whole messages and returns whole messages', async () => {
    const client = createInProcessClient('x', {
      tokenizeString: ({ Prompt, Tokens }) => ({ tokens: [Prompt.length, Tokens] }),
    })
    expect(await client.tokenizeString({ Prompt: 'abc' })).toEqual({ length: 0, tokens: [3, 0] })
    await expect(client.health()).resolves.toBeUndefined()
    expect(client.address).toBe('in-process:x')
  })

  it('fails with the error of a handler, and with not_implemented without a handler', async () => {
    const failure = new SvcError('rate_limited', 'slow down', { code: 'upstream_rate_limited', retryAfterMs: 7000 })
    const client = createInProcessClient('x', {
      predict: () => {
        throw failure
      },
    })
    await expect(client.predict({})).rejects.toBe(failure)
    const none = { kind: 'not_implemented', code: 'unimplemented' }
    await expect(client.embedding({})).rejects.toMatchObject(none)
    await expect(client.predictStream({}).next()).rejects.toMatchObject(none)
    await expect(client.extensions.capabilities({})).rejects.toMatchObject(none)
  })

  it('streams, carries metadata, and ends its handlers when the caller leaves', async () => {
    const client = createInProcessClient('x', waiting)
    const left = new AbortController()
    const replies = client.predictStream({ Prompt: 'hi' }, { signal: left.signal, metadata: { trace: 't' } })
    expect((await replies.next()).value?.message.toString()).toBe('hi t')
    const reason = new SvcError('cancelled', 'the client left')
    left.abort(reason)
    await expect(replies.next()).rejects.toBe(reason)
    await expect(client.predict({}, { signal: left.signal })).rejects.toBe(reason)
  })

  it("passes a handler's trailers on after success", async () => {
    const client = createInProcessClient('x', {
      predict: ({ Prompt }, { addTrailer }) => {
        addTrailer('x-more', Prompt)
        if (Prompt === 'fail') throw new SvcError('internal', 'no')
        return {}
      },
      async *predictStream({ Prompt }, { addTrailer }) {
        yield {}
        addTrailer('x-more', Prompt)
        yield {}
      },
    })
    const told: unknown[] = []
    const onTrailers = (trailers: Readonly<Record<string, string>>): void => void told.push(trailers['x-more'])
    await client.predict({ Prompt: 'whole' }, { onTrailers })
    for await (const _ of client.predictStream({ Prompt: 'stream' }, { onTrailers })) told.push('piece')
    await expect(client.predict({ Prompt: 'fail' }, { onTrailers })).rejects.toMatchObject({ message: 'no' })
    expect(told).toEqual(['whole', 'piece', 'piece', 'stream'])
  })

  it('aborts calls that take too long, and all running calls when it is closed', async () => {
    const client = createInProcessClient('x', waiting)
    await expect(client.predict({}, { timeoutMs: 1 })).rejects.toMatchObject({ kind: 'timeout' })
    const running = client.predict({})
    client.close()
    const stopped = { kind: 'unavailable', code: 'backend_stopped' }
    await expect(running).rejects.toMatchObject(stopped)
    await expect(client.predict({})).rejects.toMatchObject(stopped)
    await expect(client.health()).rejects.toMatchObject(stopped)
  })

  describe('a call in both directions', () => {
    const echo: BackendHandlers = {
      async *audioTranscriptionLive(requests) {
        let count = 0
        for await (const { audio } of requests) {
          count += audio?.pcm.length ?? 0
          yield { delta: `${count}` }
        }
        yield { finalResult: { text: 'end' } }
      },
    }

    it('carries messages both ways, to the end of the input', async () => {
      const call = createInProcessClient('x', echo).audioTranscriptionLive()
      await call.write({ audio: { pcm: [1, 2] } })
      await call.write({ audio: { pcm: [3] } })
      call.end()
      const told: string[] = []
      for await (const { delta, finalResult } of call) told.push(finalResult?.text ?? delta)
      expect(told).toEqual(['2', '3', 'end'])
    })

    it('makes a writer wait that is far ahead, and lets it go when the reader leaves', async () => {
      const call = createInProcessClient('x', echo).audioTranscriptionLive()
      let written = 0
      const writing = (async () => {
        for (; written < 1000; written += 1) await call.write({ audio: { pcm: [] } })
      })()
      const replies = call[Symbol.asyncIterator]()
      await replies.next()
      expect(written).toBeLessThan(100)
      call.cancel()
      await writing
      expect(written).toBe(1000)
    })

    it('ends a handler that waits for input, with the reason of the caller', async () => {
      const left = new AbortController()
      const call = createInProcessClient('x', echo).audioTranscriptionLive({ signal: left.signal })
      const reading = call[Symbol.asyncIterator]().next()
      const reason = new SvcError('cancelled', 'the client left')
      left.abort(reason)
      await expect(reading).rejects.toBe(reason)
      const none = createInProcessClient('x', {}).audioTranscriptionLive()
      await expect(none[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'unimplemented' })
    })
  })
})
