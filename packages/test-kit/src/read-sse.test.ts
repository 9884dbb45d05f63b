import { get, type IncomingMessage } from 'node:http'
import { describe, expect, it } from 'vitest'
import { createDeferred } from './deferred.ts'
import { startHttpServer } from './http-server.ts'
import { collectSse, readSse } from './read-sse.ts'

const bytes = (...chunks: string[]) =>
  (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk, 'latin1')
  })()

describe('readSse', () => {
  it('reads names, ids and data, and skips comments', async () => {
    expect(await collectSse(bytes(': hi\n\nevent: a\nid: 1\ndata: x\ndata:y\n', '\ndata: [DONE]\n\n'))).toEqual([
      { event: 'a', id: '1', data: 'x\ny' },
      { data: '[DONE]' },
    ])
  })

  it('gives each event as it arrives, from fetch and from node:http', async () => {
    const seen = createDeferred()
    await using server = await startHttpServer((_, response) => {
      response.write('data: 1\n\n')
      void seen.promise.then(() => response.end('data: grüße\n\n'))
    })
    const reply = await fetch(server.origin)
    const events = readSse(reply)
    expect((await events.next()).value).toEqual({ data: '1' })
    seen.resolve()
    expect((await events.next()).value).toEqual({ data: 'grüße' })
    expect((await events.next()).done).toBe(true)

    const message = await new Promise<IncomingMessage>((resolve) => get(server.origin, resolve))
    expect(await collectSse(message)).toHaveLength(2)
  })

  it.each([
    ['a stream cut inside an event', 'data: 1\n\ndata: 2\n'],
    ['a line without a colon', 'oops\n\n'],
    ['a field that is none', 'dta: 1\n\n'],
    ['bytes that are not UTF-8', 'data: \xff\n\n'],
  ])('refuses %s', async (_, text) => {
    await expect(collectSse(bytes(text))).rejects.toThrow()
  })
})
