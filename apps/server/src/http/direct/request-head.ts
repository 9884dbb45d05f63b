import type { IncomingHttpHeaders } from 'node:http'

/** The head of a request in the plain form that nearly all have. */
export interface RequestHead {
  readonly method: string
  readonly target: string
  /** Lower-case names; none came twice. */
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** Bytes of the body. */
  readonly contentLength: number
  /** Whether the client wants to send another request afterwards. */
  readonly keepsAlive: boolean
  /** Where the body begins. */
  readonly endsAt: number
}

/** Largest head, bytes: what Node's own limit is. */
const MAX_HEAD_BYTES = 16_384
const MAX_HEADERS = 100
/** Largest head that is kept for the next request: an idle connection is to cost no more for what it once sent. */
const MAX_KEPT_BYTES = 4096

const CR = 13
const LF = 10
const TAB = 9
const BLANK = 32
const COLON = 58
const ZERO = 48
const NINE = 57

const IS_TOKEN = 1
const IS_TARGET = 2
const IS_VALUE = 4

/** What each byte can be part of (RFC 9110, section 5.6.2; targets and values only as visible ASCII). */
const CLASSES = ((): Uint8Array => {
  const classes = new Uint8Array(256)
  for (let byte = 0x21; byte < 0x7f; byte += 1) {
    const isToken = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte))
    classes[byte] = IS_TARGET | IS_VALUE | (isToken ? IS_TOKEN : 0)
  }
  classes[BLANK] = IS_VALUE
  classes[TAB] = IS_VALUE
  return classes
})()

/** Headers with which a request is more than a head and a body of known length. */
const NEVER_PLAIN: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'proxy-connection',
  '__proto__',
])
const MAX_LENGTH_DIGITS = 15
const LENGTH = /^\d{1,15}$/
const VERSION = Buffer.from(' HTTP/1.1\r\n')

/** Where the pieces of the header lines lie: start and end of the name, start and end of the value. One head at a time. */
const places = new Int32Array(4 * MAX_HEADERS)

/**
 * Reads heads that are whole and plain: HTTP/1.1, visible ASCII, one line a header and no name twice, `Content-Length` or no
 * body. It is a strict subset of what Node reads, and read alike; of everything else, faulty requests among it, nothing is
 * said here, as Node has the answers.
 *
 * A client sends nearly the same head with each request of a connection: what was read of the last one counts for the next,
 * where only the length of the body differs.
 */
export class HeadReader {
  #last: LastHead | undefined

  /** @returns undefined for a head that is not whole yet, or not of this form */
  read(bytes: Buffer): RequestHead | undefined {
    const same = this.#last && readAsLast(bytes, this.#last)
    if (same !== undefined) return same
    const head = readPlainHead(bytes)
    if (head !== undefined) this.#last = head.endsAt > MAX_KEPT_BYTES ? undefined : keepHead(bytes, head)
    return head
  }
}

/** The last head of a connection. */
interface LastHead {
  readonly head: RequestHead
  /** Up to the digits of the length, or all of it. */
  readonly before: Buffer
  /** From behind the digits. */
  readonly after: Buffer
}

function keepHead(bytes: Buffer, head: RequestHead): LastHead {
  const copy = Buffer.from(bytes.subarray(0, head.endsAt))
  const digits = head.headers['content-length']
  if (digits === undefined) return { head, before: copy, after: copy.subarray(copy.length) }
  const name = /\r\ncontent-length:[ \t]*/i.exec(copy.toString('latin1'))
  const start = (name?.index ?? 0) + (name?.[0].length ?? 0)
  return { head, before: copy.subarray(0, start), after: copy.subarray(start + digits.length) }
}

function readAsLast(bytes: Buffer, { head, before, after }: LastHead): RequestHead | undefined {
  if (!startsWith(bytes, before, 0)) return undefined
  const known = head.headers['content-length']
  if (known === undefined) return head
  const start = before.length
  let end = start
  while (isDigit(bytes[end])) end += 1
  if (end === start || end - start > MAX_LENGTH_DIGITS || !startsWith(bytes, after, end)) return undefined
  const digits = bytes.toString('latin1', start, end)
  if (digits === known) return head
  const rawHeaders = head.rawHeaders.slice()
  const place = rawHeaders.findIndex((name, index) => index % 2 === 0 && name.toLowerCase() === 'content-length')
  rawHeaders[place + 1] = digits
  const headers = { ...head.headers, 'content-length': digits }
  return { ...head, headers, rawHeaders, contentLength: Number(digits), endsAt: end + after.length }
}

function startsWith(bytes: Buffer, part: Buffer, at: number): boolean {
  return bytes.length >= at + part.length && bytes.compare(part, 0, part.length, at, at + part.length) === 0
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= NINE
}

function readPlainHead(bytes: Buffer): RequestHead | undefined {
  const limit = Math.min(bytes.length, MAX_HEAD_BYTES)
  let at = skip(bytes, 0, IS_TOKEN)
  const methodEnd = at
  if (methodEnd === 0 || bytes[at] !== BLANK) return undefined
  at = skip(bytes, at + 1, IS_TARGET)
  const targetEnd = at
  for (const byte of VERSION) {
    if (bytes[at] !== byte) return undefined
    at += 1
  }
  let count = 0
  while (bytes[at] !== CR) {
    const next = count < MAX_HEADERS && at < limit ? readLine(bytes, at, 4 * count) : -1
    if (next < 0) return undefined
    at = next
    count += 1
  }
  if (bytes[at + 1] !== LF || at + 2 > limit) return undefined
  const text = bytes.toString('latin1', 0, at)
  const start = { method: text.slice(0, methodEnd), target: text.slice(methodEnd + 1, targetEnd) }
  return toHead(text, count, { ...start, endsAt: at + 2 })
}

/** @returns where the next line starts, -1 for a line of another form */
function readLine(bytes: Buffer, start: number, place: number): number {
  let at = skip(bytes, start, IS_TOKEN)
  if (at === start || bytes[at] !== COLON) return -1
  places[place] = start
  places[place + 1] = at
  do at += 1
  while (isBlank(bytes[at]))
  places[place + 2] = at
  at = skip(bytes, at, IS_VALUE)
  if (bytes[at] !== CR || bytes[at + 1] !== LF) return -1
  const next = at + 2
  while (bytes[at - 1] === BLANK && at > (places[place + 2] ?? 0)) at -= 1
  // Behind some values Node takes a tab for a part of them.
  if (bytes[at - 1] === TAB && at > (places[place + 2] ?? 0)) return -1
  places[place + 3] = at
  return next
}

/** @returns the first place from `at` on whose byte is not of the class; the end of the bytes is of none */
function skip(bytes: Buffer, at: number, kind: number): number {
  let end = at
  while (((CLASSES[bytes[end] ?? 0] ?? 0) & kind) !== 0) end += 1
  return end
}

function isBlank(byte: number | undefined): boolean {
  return byte === BLANK || byte === TAB
}

function toHead(
  text: string,
  count: number,
  start: Pick<RequestHead, 'method' | 'target' | 'endsAt'>,
): RequestHead | undefined {
  const headers: IncomingHttpHeaders = {}
  const rawHeaders: string[] = []
  for (let place = 0; place < 4 * count; place += 4) {
    const name = text.slice(places[place], places[place + 1])
    const value = text.slice(places[place + 2], places[place + 3])
    const key = name.toLowerCase()
    // Among these are names that every object has.
    if (key in headers || NEVER_PLAIN.has(key)) return undefined
    headers[key] = value
    rawHeaders.push(name, value)
  }
  const { connection, 'content-length': length = '0' } = headers
  const wish = connection?.toLowerCase() ?? 'keep-alive'
  if (!LENGTH.test(length) || (wish !== 'keep-alive' && wish !== 'close')) return undefined
  return { ...start, headers, rawHeaders, contentLength: Number(length), keepsAlive: wish === 'keep-alive' }
}
