import { createRandom, type Random } from './random.ts'

type Texts = readonly [string, ...string[]]

/** Bytes of one connection, in the pieces in which they are sent. Each character is a byte. */
export type Stream = readonly string[]

const METHODS: Texts = ['GET', 'POST', 'POST', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD']
const TARGETS: Texts = [
  '/',
  '/v1/chat/completions',
  '/a?b=c&d',
  '//a/../b',
  '/%2e%00',
  '/a;b|c"d\'e<f>{g}',
  '/?',
  '/[`^]\\',
]
const PLAIN_LINES: Texts = [
  'Host: a',
  'Host:',
  'host: [::1]:80',
  'Accept: */*',
  'User-Agent: x/1 (y; z)',
  'Authorization: Bearer  x y ',
  'Content-Type:application/json',
  'Cookie: a=b; c="d"',
  'X-A: \t b \t c',
  'x-b: ',
  'X-C: a, b, "c\\"d"',
  'Connection: keep-alive',
  'Connection: Keep-Alive',
  'Keep-Alive: timeout=5',
  'TE: trailers',
  'Trailer: x',
  'Max-Forwards: 0',
  "a!#$%&'*+-.^_`|~9: b",
]
/**
 * Header lines that are faulty, that two readers may read in two ways, or that ask for more than a body of known
 * length.
 */
const ODD_LINES: Texts = [
  'Content-Length: 3',
  'Content-Length: 3',
  'content-length: 5',
  'Content-Length: 03',
  'Content-Length: +3',
  'Content-Length: -3',
  'Content-Length: 0x3',
  'Content-Length: 3, 3',
  'Content-Length: 3 3',
  'Content-Length: 3\t',
  'Content-Length: 3 \t ',
  'Content-Length:\t3',
  'Content-Length:',
  'Content-Length: 3e0',
  'Content-Length: 1844674407370955161600003',
  'Content-Length: 999999999999999',
  'Content-Length : 3',
  ' Content-Length: 3',
  'Content-Length\t: 3',
  'Content_Length: 3',
  'Transfer-Encoding: chunked',
  'Transfer-Encoding: chunked',
  'transfer-encoding: Chunked',
  'Transfer-Encoding : chunked',
  'Transfer-Encoding:\x0bchunked',
  'Transfer-Encoding: chunked ',
  'Transfer-Encoding: chunked\t',
  'Transfer-Encoding: xchunked',
  'Transfer-Encoding: "chunked"',
  'Transfer-Encoding: chunked, identity',
  'Transfer-Encoding: identity',
  'Transfer-Encoding: gzip, chunked',
  'Transfer-Encoding:\r\n chunked',
  'X: y\r\nTransfer-Encoding: chunked',
  'X: y\rTransfer-Encoding: chunked',
  'X: y\nTransfer-Encoding: chunked',
  'Transfer_Encoding: chunked',
  'Connection: close',
  'connection:CLOSE ',
  'Connection: close\t',
  'Connection: keep-alive, close',
  'Connection: keep-alive, TE',
  'Connection: x',
  'Connection:',
  'Connection: Upgrade\r\nUpgrade: websocket',
  'Connection: Upgrade\r\nUpgrade: h2c',
  'Upgrade: h2c',
  'Connection: Upgrade',
  'Proxy-Connection: close',
  'Expect: 100-continue',
  'Expect: 100-Continue\r\nContent-Length: 3',
  'Expect: 200-ok',
  'Set-Cookie: a=b',
  'Set-Cookie: a=b\r\nSet-Cookie: c=d',
  'Cookie: a=b\r\nCookie: c=d',
  'Host: a\r\nHost: b',
  'X-A: b\r\nx-a: c',
  'A: b\r\n c',
  'A: b\r\n\tc',
  ': b',
  'Ab',
  'A b: c',
  'A:\0',
  'A\0: b',
  'A: \x7f',
  'A: \xe9',
  '\xe9: a',
  'A: b\x0b',
  'A: b\r',
  'A: b\t',
  '__proto__: a',
  'constructor: a',
  'toString: a',
]
const ODD_STARTS: Texts = [
  'post / HTTP/1.1',
  'FETCH / HTTP/1.1',
  'PO ST / HTTP/1.1',
  'POST  / HTTP/1.1',
  'POST\t/ HTTP/1.1',
  'POST /  HTTP/1.1',
  'POST / HTTP/1.1 ',
  'POST / http/1.1',
  'POST / HTTP/1.0',
  'POST / HTTP/1.2',
  'POST / HTTP/0.9',
  'POST / HTTP/2.0',
  'POST / HTTP/11',
  'POST /',
  'POST',
  '',
  'POST /#a HTTP/1.1',
  'POST /\xe9 HTTP/1.1',
  'POST /\x01 HTTP/1.1',
  'POST /\x7f HTTP/1.1',
  'POST http://a/b HTTP/1.1',
  'GET http://a/b?c HTTP/1.1',
  'GET https://a:99/ HTTP/1.1',
  'POST a HTTP/1.1',
  'OPTIONS * HTTP/1.1',
  'GET * HTTP/1.1',
  'CONNECT a:1 HTTP/1.1',
  'CONNECT / HTTP/1.1',
  'PRI * HTTP/2.0',
  'SOURCE / HTTP/1.1',
  'M-SEARCH * HTTP/1.1',
  'M-SEARCH / HTTP/1.1',
  'QUERY / HTTP/1.1',
  '\r\nPOST / HTTP/1.1',
  '\nPOST / HTTP/1.1',
  ' POST / HTTP/1.1',
  '\xef\xbb\xbfPOST / HTTP/1.1',
  'HTTP/1.1 200 OK',
]
/** Some of them look like requests: a reader that loses count takes them for some. */
const BODIES: Texts = [
  'abc',
  'abcde',
  '{}',
  '\r\n\r\n',
  '0\r\n\r\n',
  'GET /smuggled HTTP/1.1\r\n\r\n',
  '0\r\n\r\nPOST /smuggled HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc',
  'Content-Length: 3\r\n\r\n',
  '\0\xff\x80',
  'x'.repeat(3000),
]
const CHUNKED_BODIES: Texts = [
  '0\r\n\r\n',
  '3\r\nabc\r\n0\r\n\r\n',
  '3;a=b\r\nabc\r\n0\r\nX-T: u\r\n\r\n',
  '3\nabc\n0\n\n',
  '03\r\nabc\r\n00\r\n\r\n',
  '0x3\r\nabc\r\n0\r\n\r\n',
  '-1\r\nabc\r\n0\r\n\r\n',
  '3 \r\nabc\r\n0\r\n\r\n',
  '3\r\nabcd\r\n0\r\n\r\n',
  'fffffffffffffffff\r\nabc',
  '3\r\nabc\r\n0\r\n',
  'zz\r\n',
]
const ODD_BYTES: Texts = ['\r\n', '\n', '\r', ' ', '\t', ':', '\0', '\x7f', '\x80', '\xe9', ',', ';', '0', 'A', '/']
const TAILS: Texts = ['\r\n', '\r\n\r\n', '\n', '\0', 'GET', 'GET / HTTP/1.1\r\n', 'x'.repeat(200), '\x16\x03\x01']

/** Makes the stream of a seed: valid requests, odd ones, and ones as attackers send them, cut into pieces. */
export function makeStream(seed: number): Stream {
  const random = createRandom(seed)
  const pieces: string[] = []
  const count = 1 + random.below(random.chance(0.1) ? 12 : 4)
  let last = plainRequest(random)
  for (let index = 0; index < count; index += 1) {
    if (random.chance(0.25)) last = repeatRequest(last, random)
    else last = random.chance(0.7) ? plainRequest(random) : oddRequest(random)
    pieces.push(last.head, last.body)
  }
  if (random.chance(0.1)) pieces.push(random.pick(TAILS))
  if (random.chance(0.2)) mutate(pieces, random)
  return cut(pieces, random)
}

interface Request {
  readonly head: string
  readonly body: string
}

function plainRequest(random: Random): Request {
  const lines = random.chance(0.8) ? ['Host: a'] : []
  const names = new Set(['host'])
  for (let left = random.below(random.chance(0.02) ? 130 : 5); left > 0; left -= 1) {
    const line = random.chance(0.6) ? random.pick(PLAIN_LINES) : `X-${random.below(500)}: ${random.below(1000)}`
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    if (names.has(name)) continue
    names.add(name)
    lines.push(line)
  }
  if (random.chance(0.01)) lines.push(`X-Long: ${'l'.repeat(15_800 + random.below(600))}`)
  if (random.chance(0.05)) lines.push('Connection: close')
  const body = random.chance(0.6) ? random.pick(BODIES) : ''
  if (body !== '' || random.chance(0.3))
    lines.splice(random.below(lines.length + 1), 0, `Content-Length: ${body.length}`)
  return { head: toHead(`${random.pick(METHODS)} ${random.pick(TARGETS)} HTTP/1.1`, lines), body }
}

/** The same head with another body, as most clients send their requests. */
function repeatRequest({ head }: Request, random: Random): Request {
  const body = random.pick(BODIES)
  return {
    head: head.replace(/(content-length:[ \t]*)\d+/i, `$1${body.length}`),
    body: /content-length/i.test(head) ? body : '',
  }
}

function oddRequest(random: Random): Request {
  const { head, body } = plainRequest(random)
  const [start = '', ...lines] = head.slice(0, -4).split('\r\n')
  const oddLines = random.below(4)
  for (let left = oddLines; left > 0; left -= 1) lines.splice(random.below(lines.length + 1), 0, random.pick(ODD_LINES))
  const isOddStart = oddLines === 0 || random.chance(0.2)
  const oddHead = toHead(isOddStart ? random.pick(ODD_STARTS) : start, lines)
  const isChunked = /transfer.encoding/i.test(oddHead) ? random.chance(0.8) : random.chance(0.1)
  return {
    head: random.chance(0.1) ? replaceLineEnd(oddHead, random) : oddHead,
    body: isChunked ? random.pick(CHUNKED_BODIES) : body,
  }
}

function toHead(start: string, lines: readonly string[]): string {
  return [start, ...lines, '', ''].join('\r\n')
}

/** Replaces one line end, or all of them, by another one. */
function replaceLineEnd(head: string, random: Random): string {
  const other = random.pick(['\n', '\r', '\r\r\n', '\n\r', ' \r\n'])
  if (random.chance(0.5)) return head.replaceAll('\r\n', other)
  const ends = [...head.matchAll(/\r\n/g)]
  const at = ends[random.below(ends.length)]?.index ?? 0
  return head.slice(0, at) + other + head.slice(at + 2)
}

/** Deletes, inserts, replaces or repeats a few bytes. */
function mutate(pieces: string[], random: Random): void {
  for (let left = 1 + random.below(3); left > 0; left -= 1) {
    const index = random.below(pieces.length)
    const piece = pieces[index] ?? ''
    const from = random.below(piece.length + 1)
    const to = Math.min(piece.length, from + random.below(4))
    const middle = random.pick(['', random.pick(ODD_BYTES), piece.slice(from, to).repeat(2)])
    pieces[index] = piece.slice(0, from) + middle + piece.slice(to)
  }
}

/** Cuts heads and bodies into pieces that are sent at once. A head in pieces is never plain, so most stay whole. */
function cut(pieces: readonly string[], random: Random): Stream {
  const joined: string[] = []
  const joins = random.pick([0, 0.5, 1])
  for (const piece of pieces) {
    const last = joined.length - 1
    if (last >= 0 && random.chance(joins)) joined[last] += piece
    else joined.push(piece)
  }
  const everywhere = random.chance(0.05)
  return joined.flatMap((piece) => {
    if (piece === '') return []
    if (everywhere && piece.length < 300) return [...piece]
    const isHead = /^[A-Z]/.test(piece)
    if (!random.chance(isHead ? 0.15 : 0.4)) return [piece]
    const at = random.below(piece.length + 1)
    return [piece.slice(0, at), piece.slice(at)].filter((part) => part !== '')
  })
}
