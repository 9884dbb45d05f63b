import { connect } from 'node:net'
import { eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { rawCall, startTestApp } from '../../test/support/test-app.ts'
import { type BodyLimits, createBodyReader } from './body.ts'
import { json } from './json.ts'
import { defineRoute } from './route.ts'

function world(limits: Partial<BodyLimits> = {}) {
  const reader = createBodyReader({ maxBytes: 1000, idleMs: 5000, totalBytes: 4000, ...limits })
  const seen: number[] = []
  const route = defineRoute({
    method: 'POST',
    path: '/body',
    access: 'any',
    family: 'compatible',
    tag: 'test',
    summary: 'test',
    async handler(call) {
      const held = await reader.read(call)
      seen.push(held.bytes.length)
      const size = held.bytes.length
      held.release()
      return json({ size })
    },
  })
  return { reader, route, seen }
}

const post = (body: string, headers: Record<string, string> = {}) => ({ method: 'POST', body, headers })

describe('createBodyReader', () => {
  it('reads a body whole and counts nothing afterwards', async () => {
    const { reader, route } = world()
    await using app = await startTestApp([route])
    expect((await app.call('/body', post('x'.repeat(1000)))).json()).toEqual({ size: 1000 })
    expect((await app.call('/body', post(''))).json()).toEqual({ size: 0 })
    expect(reader.heldBytes).toBe(0)
  })

  // verifies errors:status:too-large
  it('IN-1: refuses a body over the limit by its declared length, before reading it', async () => {
    const { route, seen } = world()
    await using app = await startTestApp([route])
    const reply = await app.call('/body', post('x'.repeat(1001)))
    expect(reply.status).toBe(413)
    expect(reply.headers.connection).toBe('close')
    expect(reply.json()).toMatchObject({ error: { code: 413, type: 'invalid_request_error' } })
    expect(seen).toEqual([])
  })

  it('IN-1: refuses an endless chunked body and closes the connection', async () => {
    const { reader, route, seen } = world()
    await using app = await startTestApp([route])
    const { hostname, port } = new URL(app.url)
    const socket = connect(Number(port), hostname)
    socket.on('error', () => undefined)
    let reply = ''
    socket.on('data', (chunk) => {
      reply += chunk.toString()
    })
    socket.write('POST /body HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n')
    const chunk = `200\r\n${'x'.repeat(512)}\r\n`
    const pump = setInterval(() => socket.write(chunk), 1)
    await new Promise((resolve) => socket.on('close', resolve))
    clearInterval(pump)
    expect(reply).toMatch(/^HTTP\/1\.1 413 /)
    expect(seen).toEqual([])
    expect(reader.heldBytes).toBe(0)
  })

  // verifies errors:status:media-type
  it('IN-7: refuses compressed bodies and other charsets', async () => {
    const { route, seen } = world()
    await using app = await startTestApp([route])
    for (const coding of ['gzip', 'br', 'zstd', 'x-gzip', 'gzip, gzip']) {
      const reply = await app.call('/body', post('x', { 'content-encoding': coding }))
      expect(reply.status).toBe(415)
      expect(reply.headers['accept-encoding']).toBe('identity')
    }
    expect((await app.call('/body', post('x', { 'content-type': 'application/json; charset=latin1' }))).status).toBe(
      415,
    )
    expect(
      (
        await app.call(
          '/body',
          post('x', { 'content-type': 'text/plain; charset=UTF-8', 'content-encoding': 'identity' }),
        )
      ).status,
    ).toBe(200)
    expect(seen).toEqual([1])
  })

  it('REL-2: refuses bodies beyond what may be held at once, and recovers', async () => {
    const { reader, route } = world({ totalBytes: 1500 })
    await using app = await startTestApp([route])
    const { hostname, port } = new URL(app.url)
    const holder = connect(Number(port), hostname)
    holder.write(`POST /body HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n\r\n${'x'.repeat(900)}`)
    await eventually(() => expect(reader.heldBytes).toBe(900))
    const refused = await app.call('/body', post('x'.repeat(800)))
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '1'])
    holder.destroy()
    await eventually(() => expect(reader.heldBytes).toBe(0))
    expect((await app.call('/body', post('x'.repeat(800)))).status).toBe(200)
  })

  // verifies errors:status:stalled
  it('IN-11: gives up on a sender that falls silent', async () => {
    const { reader, route } = world({ idleMs: 50 })
    await using app = await startTestApp([route])
    const reply = await rawCall(app.url, 'POST /body HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\nabc')
    expect(reply).toMatch(/^HTTP\/1\.1 408 /)
    expect(reader.heldBytes).toBe(0)
  })
})
