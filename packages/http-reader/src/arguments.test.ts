import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { createLastReply, createRequestReader, Reply, type ReplySink, toPreparedHeaders } from './index.ts'
import { resolveLimits } from './limits.ts'

const WRONG: readonly unknown[] = [undefined, null, {}, [], 7, true, Number.NaN, 'text']

/** Calls a function without the checks of its types. */
const call = (run: unknown, ...args: unknown[]): unknown => (run as (...args: unknown[]) => unknown)(...args)

function startReply() {
  const sent: string[] = []
  const sink: ReplySink = {
    keepsAlive: true,
    connectionLines: () => '',
    send: (text) => sent.push(text) > 0,
    sendBytes: (head) => sent.push(head) > 0,
    finish() {},
    destroy() {},
  }
  return { reply: new Reply(sink), sent }
}

describe('arguments of another type', () => {
  it.each([undefined, null, Number.NaN, 99, 1000, 200.5, '200', '200 OK\r\nSet-Cookie: a=b'])(
    '%j is not a status, and the reply can still be written',
    (wrong) => {
      const { reply, sent } = startReply()
      expect(() => call(reply.writeHead.bind(reply), wrong)).toThrow(/^not the status of a reply: /)
      reply.statusCode = wrong as number
      expect(() => reply.end('body')).toThrow(RangeError)
      expect([reply.headersSent, sent]).toEqual([false, []])
      reply.statusCode = 500
      reply.end('body')
      expect(sent.join('')).toMatch(/^HTTP\/1\.1 500 .*body$/s)
    },
  )

  it.each([null, {}, [], 7, true, new ArrayBuffer(4)])(
    '%o is not a body, and the reply can still be written',
    (wrong) => {
      const { reply, sent } = startReply()
      for (const write of [reply.write.bind(reply), reply.end.bind(reply)]) {
        expect(() => call(write, wrong)).toThrow(new TypeError('a body must be text or a Uint8Array'))
      }
      expect([reply.headersSent, sent]).toEqual([false, []])
      reply.end('body')
      expect(sent.join('')).toContain('Content-Length: 4\r\n')
    },
  )

  it.each([undefined, null, true, {}, [undefined], [['a']], { toString: () => 'a' }])(
    '%o is not a value of a header',
    (wrong) => {
      const { reply } = startReply()
      expect(() => call(reply.setHeader.bind(reply), 'X-Test', wrong)).toThrow(/header X-Test cannot have/)
      expect(() => call(toPreparedHeaders, [['X-Test', wrong]])).toThrow(/header X-Test cannot have/)
    },
  )

  it('a header of the name __proto__ is one of the headers and no prototype', () => {
    const { reply } = startReply()
    const headers = reply.setHeader('__proto__', ['polluted']).getHeaders()
    expect(Object.entries(headers)).toEqual([['__proto__', ['polluted']]])
    expect(Object.getPrototypeOf(headers)).toBe(null)
  })

  it('inherited members are no headers', () => {
    const { reply, sent } = startReply()
    reply.writeHead(200, Object.create({ 'X-Inherited': '1' })).end()
    expect(sent.join('')).not.toContain('X-Inherited')
  })

  it.each(WRONG)('%o in the place of the server of a reader', (wrong) => {
    expect(() => call(createRequestReader, wrong)).toThrow(/^createRequestReader: accepts must be a function$/)
  })

  it.each(['1000', Number.NaN, -1, Number.POSITIVE_INFINITY, 2 ** 31, null])('%o is not a time limit', (wrong) => {
    const server = { accepts: () => true, serve() {}, handOver() {} }
    for (const name of ['unusedMs', 'idleMs', 'bodyMs', 'unreadMs']) {
      expect(() => call(createRequestReader, { ...server, limits: { [name]: wrong } })).toThrow(
        `createRequestReader: limits.${name} must be a number from 0 to 2147483647`,
      )
    }
    expect(() => call(createLastReply, {} as Socket, { unreadMs: wrong })).toThrow(
      'createLastReply: unreadMs must be a number from 0 to 2147483647',
    )
  })

  it('a limit that is undefined has its default', () => {
    expect(resolveLimits({ idleMs: undefined, unreadMs: 5 })).toMatchObject({ idleMs: 120_000, unreadMs: 5 })
  })
})
