import { expect, it } from 'vitest'
import { extractCredentials, isCookie, type RequestHeaders } from './credentials.ts'

const cases: readonly (readonly [RequestHeaders, readonly string[]])[] = [
  [{}, []],
  [{ authorization: 'Bearer a' }, ['bearer a']],
  [{ authorization: 'bEaReR   a b' }, ['bearer a']],
  [{ authorization: 'bare' }, ['bearer bare']],
  [{ authorization: 'Basic abc' }, []],
  [{ authorization: '  ' }, []],
  [{ authorization: 'Basic abc', 'x-api-key': 'k' }, ['x-api-key k']],
  [{ authorization: 'Bearer', 'x-api-key': 'k' }, ['x-api-key k']],
  [{ authorization: 'Bearer ', 'x-api-key': 'k' }, ['x-api-key k']],
  [{ authorization: '  bEARER \t', 'x-api-key': 'k' }, ['x-api-key k']],
  [{ authorization: 'Bearer', 'xi-api-key': 'k' }, ['xi-api-key k']],
  [{ authorization: '', 'x-api-key': 'k' }, ['x-api-key k']],
  [{ authorization: 'Bearer', 'x-api-key': ' ', cookie: 'session=s' }, ['session-cookie s']],
  [{ authorization: 'Bearer', cookie: 'session=s' }, ['session-cookie s']],
  [{ authorization: 'Bearer' }, []],
  [{ authorization: 'Bearer x', 'x-api-key': 'k' }, ['bearer x']],
  [{ 'x-api-key': 'k', 'xi-api-key': 'x' }, ['x-api-key k']],
  [{ 'x-api-key': '', 'xi-api-key': ['x', 'y'] }, ['xi-api-key x']],
  [{ authorization: 'Bearer a', 'x-api-key': 'k', cookie: 'session=s; token=t' }, ['bearer a']],
  [{ cookie: 'token=t; session=s' }, ['session-cookie s', 'token-cookie t']],
  [{ cookie: 'sessions=x;  session = s ; session=second' }, ['session-cookie s', 'session-cookie second']],
  [{ cookie: 'session=a; token=t; session=b; session=a' }, ['session-cookie a', 'session-cookie b', 'token-cookie t']],
  [{ cookie: 'session=; session=b; Session=c; xsession=d' }, ['session-cookie b']],
  [{ cookie: 'session; =x; session=a=b' }, ['session-cookie a=b']],
  [{ cookie: 'token=t' }, ['token-cookie t']],
  [{ cookie: 'session=' }, []],
  [{ authorization: `Bearer ${'x'.repeat(5000)}` }, []],
  [{ 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.k, openai-beta.realtime-v1' }, ['bearer k']],
  [{ 'sec-websocket-protocol': 'svc-insecure-api-key.k', cookie: 'session=s' }, ['bearer k']],
  [{ 'sec-websocket-protocol': 'openai-insecure-api-key.k', authorization: 'Bearer a' }, ['bearer a']],
  [{ 'sec-websocket-protocol': 'realtime, openai-insecure-api-key.', cookie: 'session=s' }, ['session-cookie s']],
]

// verifies auth:carriers:empty
it.each(cases)('of %j are %j', (headers, wanted) => {
  expect(extractCredentials(headers).map(({ carrier, value }) => `${carrier} ${value}`)).toEqual(wanted)
})

it('are bounded, however many cookies have the name', () => {
  const cookie = Array.from({ length: 1000 }, (_, index) => `session=${index}`).join(';')
  expect(extractCredentials({ cookie })).toHaveLength(32)
})

it('tells cookies from headers', () => {
  expect(isCookie({ carrier: 'session-cookie', value: 's' })).toBe(true)
  expect(isCookie({ carrier: 'token-cookie', value: 's' })).toBe(true)
  expect(isCookie({ carrier: 'bearer', value: 's' })).toBe(false)
})
