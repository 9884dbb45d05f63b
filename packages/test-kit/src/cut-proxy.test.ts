import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { type Cut, startCutProxy } from './cut-proxy.ts'
import { startUpstream } from './upstream.ts'

/** Sends a request; returns the received answer and the way it ended. */
function exchange(port: number, request: string): Promise<{ received: string; end: string }> {
  return new Promise((resolve) => {
    let received = ''
    let end = 'fin'
    const socket = connect(port, '127.0.0.1', () => socket.write(request))
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    socket.on('error', (error: NodeJS.ErrnoException) => {
      end = error.code ?? error.message
    })
    socket.on('close', () => resolve({ received, end }))
  })
}

const REQUEST = 'POST / HTTP/1.1\r\nhost: h\r\nconnection: close\r\ncontent-length: 4\r\n\r\nbody'

describe('startCutProxy', () => {
  it('passes everything without a cut, or with a cut after the last byte', async () => {
    await using upstream = await startUpstream()
    await using proxy = await startCutProxy({ target: upstream })
    const whole = (await exchange(proxy.port, REQUEST)).received
    expect(whole).toMatch(/^HTTP\/1.1 200 OK\r\n.*\r\n\r\n\{\}$/s)
    proxy.setCut({ direction: 'response', afterBytes: 1_000_000, how: 'rst' })
    expect(await exchange(proxy.port, REQUEST)).toEqual({ received: expect.stringMatching(/\{\}$/), end: 'fin' })
    expect(proxy.cuts).toBe(0)
  })

  it.each([
    { afterBytes: 0, how: 'fin' },
    { afterBytes: 17, how: 'fin' },
    { afterBytes: 17, how: 'rst' },
  ] as const)('cuts the answer after exactly $afterBytes bytes, by $how', async ({ afterBytes, how }) => {
    await using upstream = await startUpstream()
    await using proxy = await startCutProxy({ target: upstream, cut: { direction: 'response', afterBytes, how } })
    expect(await exchange(proxy.port, REQUEST)).toEqual({
      received: 'HTTP/1.1 200 OK\r\n'.slice(0, afterBytes),
      end: how === 'fin' ? 'fin' : 'ECONNRESET',
    })
    expect(proxy.cuts).toBe(1)
  })

  it.each(['fin', 'rst'] as const)('cuts the request, so that the target never sees all of it, by %s', async (how) => {
    await using upstream = await startUpstream()
    const cut: Cut = { direction: 'request', afterBytes: REQUEST.length - 1, how }
    await using proxy = await startCutProxy({ target: upstream, cut })
    expect((await exchange(proxy.port, REQUEST)).received).not.toContain('200')
    expect(proxy.cuts).toBe(1)
    proxy.setCut(undefined)
    expect((await exchange(proxy.port, REQUEST)).received).toContain('200 OK')
    expect(upstream.requests).toHaveLength(1)
  })
})
