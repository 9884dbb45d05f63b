import { describe, expect, it } from 'vitest'
import { toReplyHeaders, toRequestHeaders } from './headers.ts'

const plain = { given: {}, userAgent: 'svc/1', decode: false }

describe('toRequestHeaders', () => {
  it('keeps listed headers and drops all others, in any case', () => {
    const headers = toRequestHeaders({
      ...plain,
      given: {
        Accept: 'text/event-stream',
        'ACCEPT-Language': 'de',
        'Content-Type': 'application/json',
        Range: 'bytes=5-',
        'If-Range': '"tag"',
        'If-None-Match': '"tag"',
        'Mcp-Session-Id': 'abc',
        'Last-Event-ID': '7',
        Authorization: 'Bearer secret',
        Cookie: 'session=secret',
        Host: 'inside',
        'Proxy-Authorization': 'secret',
        'X-Api-Key': 'secret',
        'xi-api-key': 'secret',
        'X-Forwarded-For': '127.0.0.1',
        Connection: 'upgrade',
        'Content-Length': '7',
        'Transfer-Encoding': 'chunked',
        Origin: 'http://inside',
        Referer: 'http://inside',
        'User-Agent': 'other',
        'accept-x': '1',
        'Mcp-\u0000': '1',
      },
    })
    expect(headers).toEqual({
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
      'accept-language': 'de',
      'content-type': 'application/json',
      range: 'bytes=5-',
      'if-range': '"tag"',
      'if-none-match': '"tag"',
      'mcp-session-id': 'abc',
      'last-event-id': '7',
      'user-agent': 'svc/1',
    })
  })

  it('passes all but credentials, those of the connection and those of proxies, where it is told to', () => {
    const passed = {
      'x-custom': '1',
      'api-version': '2',
      prefer: 'wait',
      'x-goog-user-project': 'p',
      'user-agent': 'browser/1',
    }
    const back = [
      'Host',
      'Connection',
      'Keep-Alive',
      'Transfer-Encoding',
      'Upgrade',
      'TE',
      'Trailer',
      'Expect',
      'Origin',
    ]
    const secret = [
      'Referer',
      'Authorization',
      'Cookie',
      'X-Api-Key',
      'xi-api-key',
      'Proxy-Authorization',
      'Proxy-Connection',
    ]
    const added = ['Forwarded', 'X-Forwarded-For', 'X-Forwarded-Access-Token', 'X-Real-IP', 'Via', 'Sec-Fetch-Site']
    const given = {
      ...Object.fromEntries([...back, ...secret, ...added, 'Content-Length'].map((name) => [name, 'hush'])),
      Connection: 'close, X-Hop',
      'X-Hop': 'hush',
      ...passed,
    }
    expect(toRequestHeaders({ ...plain, given, passesAll: true })).toEqual({
      accept: '*/*',
      'accept-encoding': 'identity',
      ...passed,
    })
  })

  it.each([
    'CF-Access-Jwt-Assertion',
    'Cf-Access-Authenticated-User-Email',
    'CF-Connecting-IP',
    'CF-Ray',
    'True-Client-IP',
    'X-Client-IP',
    'Fastly-Client-IP',
    'X-Cluster-Client-IP',
    'Remote-User',
    'Remote-Groups',
    'X-Remote-User',
    'X-Amzn-Oidc-Data',
    'X-Amzn-Oidc-AccessToken',
    'X-Amzn-Mtls-Clientcert',
    'X-Amzn-Trace-Id',
    'X-Goog-IAP-JWT-Assertion',
    'X-Goog-Authenticated-User-Email',
    'X-Auth-Request-Access-Token',
    'X-Auth-Request-Email',
    'X-authentik-jwt',
    'X-MS-CLIENT-PRINCIPAL',
    'X-MS-CLIENT-PRINCIPAL-NAME',
    'X-MS-TOKEN-AAD-ID-TOKEN',
    'X-WEBAUTH-USER',
    'X-Pomerium-Jwt-Assertion',
    'X-Vouch-IdP-AccessToken',
    'Tailscale-User-Login',
  ])('keeps back %s, which a proxy before the server adds, also where all pass', (name) => {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()])
      expect(toRequestHeaders({ ...plain, given: { [written]: 'hush' }, passesAll: true }), written).toEqual(
        toRequestHeaders(plain),
      )
  })

  it.each([
    'cfg',
    'remote',
    'x-amz-date',
    'x-amzn-bedrock-trace',
    'x-goog-api-client',
    'x-ms-version',
    'x-ms-client-request-id',
    'x-auth',
  ])('passes %s of a client where all pass', (name) => {
    expect(toRequestHeaders({ ...plain, given: { [name]: '1' }, passesAll: true })[name]).toBe('1')
  })

  it('asks for the codings it decodes, and for no other', () => {
    const given = { 'accept-encoding': 'zstd' }
    expect(toRequestHeaders({ ...plain, given, decode: true })['accept-encoding']).toBe('gzip, deflate, br')
    expect(toRequestHeaders({ ...plain, given })['accept-encoding']).toBe('zstd')
    expect(toRequestHeaders(plain)['accept-encoding']).toBe('identity')
  })

  it('takes credentials from their own place alone', () => {
    expect(toRequestHeaders({ ...plain, authorization: 'Bearer key' }).authorization).toBe('Bearer key')
    expect(toRequestHeaders({ ...plain, given: { authorization: 'Bearer key' } }).authorization).toBeUndefined()
  })
})

describe('toReplyHeaders', () => {
  const headers = {
    'content-type': 'image/png',
    'content-encoding': 'gzip',
    'content-length': '7',
    'set-cookie': ['a=b', 'c=d'],
    connection: 'close',
    'transfer-encoding': 'chunked',
    etag: '"x"',
    absent: undefined,
  }

  it('leaves out cookies and headers of the connection', () => {
    expect(toReplyHeaders(headers, { isDecoded: false })).toEqual({
      'content-type': 'image/png',
      'content-encoding': 'gzip',
      'content-length': '7',
      etag: '"x"',
    })
  })

  it('leaves out headers that decoding made wrong', () => {
    expect(toReplyHeaders(headers, { isDecoded: true })).toEqual({ 'content-type': 'image/png', etag: '"x"' })
  })

  it('is a plain record without inherited names', () => {
    expect(Object.getPrototypeOf(toReplyHeaders({}, { isDecoded: false }))).toBeNull()
  })
})
