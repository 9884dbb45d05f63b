import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { ClientReply, ClientRequest } from '../client/request.ts'
import { forwardScanned } from './outgoing-request.ts'

const DIGESTS = ['content-md5', 'content-digest', 'digest', 'repr-digest'] as const
const BODY = Buffer.from('{"a":1}')

function request(headers: Readonly<Record<string, string>>): ClientRequest {
  return {
    protocol: 'http/1.1',
    method: 'POST',
    target: '/v1/messages',
    authorities: ['api.example.com'],
    headers: Object.entries(headers).flat(),
    hasBody: true,
    body: Readable.from([]),
    expectsContinue: false,
    upgrade: undefined,
    trailers: () => [],
    reply: {} as ClientReply,
  }
}

function forward(headers: Readonly<Record<string, string>>, body: Uint8Array): Record<string, string> {
  const { head } = forwardScanned(request(headers), 'api.example.com', { body, scanned: BODY, restorer: undefined })
  const names = head.headers.filter((_, index) => index % 2 === 0)
  return Object.fromEntries(names.map((name, index) => [name.toLowerCase(), head.headers[2 * index + 1] ?? '']))
}

describe('a scanned request', () => {
  const digests = Object.fromEntries(DIGESTS.map((name) => [name, 'x']))

  it('that goes out as it came keeps what is said of its body', () => {
    expect(forward({ ...digests, 'content-length': '7', expect: '100-continue' }, BODY)).toMatchObject({
      ...digests,
      'content-length': '7',
    })
    expect(forward({ expect: '100-continue', trailer: 'x' }, BODY)).not.toHaveProperty('expect')
  })

  it.each(['gzip', 'identity'])(
    'that came coded (%s) loses the coding and the digests of the coded bytes',
    (coding) => {
      const headers = forward({ ...digests, 'Content-Encoding': coding, 'content-length': '30' }, BODY)
      for (const name of ['content-encoding', ...DIGESTS]) expect(headers).not.toHaveProperty(name)
      expect(headers['content-length']).toBe('7')
    },
  )

  it('that was changed loses the digests', () => {
    const headers = forward(digests, Buffer.from('{"a":22}'))
    for (const name of DIGESTS) expect(headers).not.toHaveProperty(name)
    expect(headers['content-length']).toBe('8')
  })
})
