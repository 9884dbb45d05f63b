import { describe, expect, it } from 'vitest'
import { forEachHeader, joinCookies, keepEndToEnd, listValues, removeHeaders, toHttp2Headers } from './headers.ts'

describe('headers that go on to the other side', () => {
  it.each([
    'Connection',
    'HTTP2-Settings',
    'Keep-Alive',
    'Proxy-Authenticate',
    'Proxy-Authorization',
    'Proxy-Connection',
    'Transfer-Encoding',
    'Upgrade',
    ':path',
    ':authority',
  ])('leave out %s', (name) => {
    expect(keepEndToEnd(['A', '1', name, 'x', 'B', '2'])).toEqual(['A', '1', 'B', '2'])
  })

  it.each<[string[], string[]]>([
    [
      ['Connection', 'close, X-One', 'connection', ' x-two ', 'X-ONE', 'a', 'x-two', 'b', 'X-Three', 'c'],
      ['X-Three', 'c'],
    ],
    [
      ['TE', 'trailers', 'Connection', 'TE'],
      ['TE', 'trailers'],
    ],
    [
      ['te', ' Trailers '],
      ['te', ' Trailers '],
    ],
    [['TE', 'gzip'], []],
    [['TE', 'trailers, gzip'], []],
    [
      ['Set-Cookie', 'a', 'Set-Cookie', 'b', 'X', ''],
      ['Set-Cookie', 'a', 'Set-Cookie', 'b', 'X', ''],
    ],
    [
      ['Host', 'h', 'X', 'y'],
      ['X', 'y'],
    ],
    [[], []],
  ])('of %j are %j', (headers, kept) => {
    expect(keepEndToEnd(headers, new Set(['host']))).toEqual(kept)
  })
})

it('a header is found by its name in any case, as often as it stands there', () => {
  const headers = ['Cookie', 'a=1', 'X', 'y', 'cookie', 'b=2', 'odd']
  expect(listValues(headers, 'cookie')).toEqual(['a=1', 'b=2'])
  expect(listValues(headers, 'odd')).toEqual([])
  expect(removeHeaders(headers, new Set(['cookie', 'other']))).toEqual(['X', 'y'])
  const seen: string[][] = []
  forEachHeader(headers, (...each) => seen.push(each))
  expect(seen).toEqual([
    ['cookie', 'a=1', 'Cookie'],
    ['x', 'y', 'X'],
    ['cookie', 'b=2', 'cookie'],
  ])
})

it('cookies of several headers become one', () => {
  expect(joinCookies(['Cookie', 'a=1', 'X', 'y', 'cookie', 'b=2'])).toEqual(['X', 'y', 'cookie', 'a=1; b=2'])
  expect(joinCookies(['Cookie', 'a=1', 'X', 'y'])).toEqual(['Cookie', 'a=1', 'X', 'y'])
  expect(joinCookies(['X', 'y'])).toEqual(['X', 'y'])
})

it('headers of HTTP/2 are in lower case, and lists where they come again', () => {
  const headers = toHttp2Headers(['A', '1', 'B', '2', 'a', '3', 'A', '4', '__proto__', 'x'])
  expect(Object.entries(headers)).toEqual([
    ['a', ['1', '3', '4']],
    ['b', '2'],
    ['__proto__', 'x'],
  ])
})
