import type { Header } from '@svc/http-client'
import { describe, expect, it } from 'vitest'
import {
  countNextHop,
  createCredentialHeaders,
  HOP_HEADER,
  MAX_HOPS,
  selectClientHeaders,
  selectReplyHeaders,
} from './headers.ts'

const from =
  (headers: Readonly<Record<string, string>>) =>
  (name: string): string | undefined =>
    headers[name]

const EVERYTHING = {
  authorization: 'Bearer client-secret',
  'proxy-authorization': 'Basic client-secret',
  cookie: 'session=client-secret',
  'x-api-key': 'client-secret',
  'xi-api-key': 'client-secret',
  token: 'client-secret',
  'openai-organization': 'org',
  'openai-project': 'project',
  connection: 'x-custom, close',
  'x-custom': 'y',
  'keep-alive': 'timeout=5',
  'proxy-connection': 'close',
  te: 'trailers',
  trailer: 'x',
  'transfer-encoding': 'chunked',
  upgrade: 'websocket',
  host: 'here.example',
  'content-length': '999',
  expect: '100-continue',
  'accept-encoding': 'gzip',
  'x-forwarded-for': '10.0.0.1',
  'user-agent': 'client',
  'content-type': 'application/json; charset=utf-8',
  accept: 'text/event-stream',
  traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'anthropic-version': '2024-01-01',
  'anthropic-beta': 'interleaved-thinking-2025-05-14, claude-code-20250219',
}

describe('client headers that go upstream', () => {
  it('is for chat completions: type, accept, trace and the hop', () => {
    expect(selectClientHeaders('provider_a', from(EVERYTHING))).toEqual([
      ['content-type', 'application/json; charset=utf-8'],
      ['accept', 'text/event-stream'],
      [HOP_HEADER, '1'],
      ['traceparent', EVERYTHING.traceparent],
    ])
  })

  it('is for messages also version and features', () => {
    expect(selectClientHeaders('provider_b', from(EVERYTHING)).slice(4)).toEqual([
      ['anthropic-version', '2024-01-01'],
      ['anthropic-beta', 'interleaved-thinking-2025-05-14,claude-code-20250219'],
    ])
  })

  it('has defaults for missing or invalid values', () => {
    const bare = [
      ['content-type', 'application/json'],
      ['accept', '*/*'],
      [HOP_HEADER, '1'],
      ['anthropic-version', '2023-06-01'],
    ]
    expect(selectClientHeaders('provider_b', from({}))).toEqual(bare)
    const odd = { accept: 'a\r\nb: c', 'content-type': 'ü', traceparent: 'x'.repeat(10_000), 'anthropic-version': '' }
    expect(selectClientHeaders('provider_b', from(odd))).toEqual(bare)
    for (const text of ['ada@host.example', 'sk-ant-secret', 'Ada Lovelace', '2024-01-01x', '1-2024-01-01']) {
      const said = { 'anthropic-version': text, 'anthropic-beta': text, traceparent: text }
      expect(selectClientHeaders('provider_b', from(said)), text).toEqual(bare)
    }
    const mixed = { 'anthropic-beta': 'ada@host.example, context-1m-2025-08-07' }
    expect(selectClientHeaders('provider_b', from(mixed)).at(-1)).toEqual(['anthropic-beta', 'context-1m-2025-08-07'])
  })
})

describe('the key of an upstream', () => {
  it.each<[Parameters<typeof createCredentialHeaders>, Header[]]>([
    [['provider_a', 'k'], [['authorization', 'Bearer k']]],
    [[undefined, 'k'], [['authorization', 'Bearer k']]],
    [['provider_b', 'k'], [['x-api-key', 'k']]],
    [['provider_a', undefined], []],
    [['provider_b', undefined], []],
  ])('%j', (given, expected) => {
    expect(createCredentialHeaders(...given)).toEqual(expected)
  })
})

describe('hops', () => {
  it.each([
    [undefined, 1],
    ['1', 2],
    [String(MAX_HOPS - 1), MAX_HOPS],
    ['nonsense', 1],
    ['-5', 1],
  ])('after %j comes %d', (given, next) => {
    expect(countNextHop(from(given === undefined ? {} : { [HOP_HEADER]: given }))).toBe(next)
  })

  it.each([String(MAX_HOPS), '999'])('end after %s', (given) => {
    expect(() => countNextHop(from({ [HOP_HEADER]: given }))).toThrow(
      expect.objectContaining({ kind: 'loop', code: 'proxy_loop' }),
    )
  })
})

describe('upstream headers that reach the client', () => {
  it('is type, coding, waits, limits of rate and ids of requests, repeated ones too', () => {
    const kept: Header[] = [
      ['content-type', 'application/json'],
      ['content-encoding', 'gzip'],
      ['retry-after', '3'],
      ['retry-after-ms', '3000'],
      ['x-ratelimit-limit-requests', '5'],
      ['x-ratelimit-reset-tokens', '6m0s'],
      ['anthropic-ratelimit-tokens-remaining', '7'],
      ['ratelimit', 'a'],
      ['ratelimit', 'b'],
      ['request-id', 'r'],
      ['x-request-id', 'x'],
      ['x-should-retry', 'false'],
    ]
    const dropped: Header[] = [
      ['set-cookie', 'a=b'],
      ['access-control-allow-origin', '*'],
      ['location', 'https://elsewhere.example'],
      ['strict-transport-security', 'max-age=1'],
      ['content-security-policy', 'none'],
      ['clear-site-data', '*'],
      ['connection', 'close'],
      ['keep-alive', 'timeout=5'],
      ['transfer-encoding', 'chunked'],
      ['content-length', '5'],
      ['trailer', 'x'],
      ['etag', '"x"'],
      ['digest', 'sha-256=x'],
      ['server', 'x'],
      ['openai-organization', 'the-operator'],
      ['www-authenticate', 'Bearer'],
    ]
    expect(selectReplyHeaders([...kept, ...dropped])).toEqual(kept)
  })
})
