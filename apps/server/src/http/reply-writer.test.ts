import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { startTestApp } from '../../test/support/test-app.ts'
import type { ReplyWriter } from '../inference/core/ports.ts'
import { ALREADY_SENT } from './http-reply.ts'
import { createReplyWriter } from './reply-writer.ts'
import { defineRoute, type Route } from './route.ts'

const compression = { enabled: true, minLength: 1024 }

function writing(run: (writer: ReplyWriter) => Promise<void>, stallMs?: number): Route {
  return defineRoute({
    method: 'GET',
    path: '/stream',
    access: 'any',
    family: 'compatible',
    tag: 'test',
    summary: 'test',
    async handler(call) {
      await run(createReplyWriter(call, { compression, ...(stallMs === undefined ? {} : { stallMs }) }))
      return ALREADY_SENT
    },
  })
}

function openStalled(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect({ port: Number(port), host: hostname })
  socket.on('error', () => undefined)
  socket.write('GET /stream HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
  socket.pause()
  return socket
}

describe('createReplyWriter', () => {
  // verifies limits:compression:streams
  it('sends frames as they are, never compressed', async () => {
    const route = writing(async (writer) => {
      writer.startStream('text/event-stream')
      await writer.write(`data: ${'a'.repeat(5000)}\n\n`)
      await writer.write('data: [DONE]\n\n')
      writer.end()
    })
    await using app = await startTestApp([route])
    const reply = await app.call('/stream', { headers: { 'accept-encoding': 'gzip' } })
    expect(reply.headers['content-encoding']).toBeUndefined()
    expect(reply.headers['content-type']).toBe('text/event-stream')
    expect(reply.headers['cache-control']).toBe('no-cache')
    expect(reply.text).toBe(`data: ${'a'.repeat(5000)}\n\ndata: [DONE]\n\n`)
  })

  it('REL-3: pauses the producer while the reader stalls, within a bound', async () => {
    let written = 0
    const outcome = withResolvers()
    const route = writing(async (writer) => {
      writer.startStream('text/event-stream')
      try {
        for (;;) {
          await writer.write('x'.repeat(65_536))
          written += 65_536
        }
      } catch (error) {
        outcome.resolve(error)
        throw error
      }
    }, 300)
    await using app = await startTestApp([route])
    const socket = openStalled(app.url)
    expect(await outcome.promise).toMatchObject({ kind: 'cancelled', code: 'client_stalled' })
    // what the kernel's own socket buffers take; the process holds at most one frame of it
    expect(written).toBeLessThan(16 * 1024 * 1024)
    socket.destroy()
  })

  it('REL-4: a reader that leaves ends a waiting write as cancelled', async () => {
    const outcome = withResolvers()
    const route = writing(async (writer) => {
      writer.startStream('text/event-stream')
      try {
        for (;;) await writer.write('x'.repeat(65_536))
      } catch (error) {
        outcome.resolve(error)
      }
    })
    await using app = await startTestApp([route])
    const socket = openStalled(app.url)
    await once(socket, 'readable').catch(() => undefined)
    socket.destroy()
    expect(await outcome.promise).toMatchObject({ kind: 'cancelled', code: 'client_gone' })
  })
})

function withResolvers() {
  let resolve!: (value: unknown) => void
  const promise = new Promise((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}
