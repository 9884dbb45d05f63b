/** The methods that a plain request can have. Node reads each of them like the others. */
export const PLAIN_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** The head of a plain request. */
export interface RequestHead {
  readonly method: string
  /** A path that begins with `/`, and perhaps a query. */
  readonly target: string
  /** Lower-case names. Each name came once. */
  readonly headers: Readonly<Record<string, string>>
  /** Names and values in turn, as they came. */
  readonly rawHeaders: readonly string[]
  /** Bytes of the body. */
  readonly contentLength: number
  /** Whether the client allows another request on the connection. */
  readonly keepsAlive: boolean
  /** Offset of the first byte after the head. */
  readonly endsAt: number
}

/** Largest head, bytes. Node's own limit is the same, but counts less. */
const MAX_HEAD_BYTES = 16_384
const MAX_HEADERS = 100
/** Largest head that is remembered for the next request. It bounds the memory of an idle connection. */
const MAX_KEPT_BYTES = 4096

const CR = 13
const LF = 10
const TAB = 9
const BLANK = 32
const COLON = 58
const SLASH = 47
const HASH = 35
const ZERO = 48
const NINE = 57

const IS_TOKEN = 1
const IS_TARGET = 2
const IS_VALUE = 4

/**
 * The classes of each byte (RFC 9110, section 5.6.2). Targets and values are visible ASCII; a target has no fragment.
 */
const CLASSES = ((): Uint8Array => {
  const classes = new Uint8Array(256)
  for (let byte = 0x21; byte < 0x7f; byte += 1) {
    const isToken = /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(byte))
    classes[byte] = (byte === HASH ? 0 : IS_TARGET) | IS_VALUE | (isToken ? IS_TOKEN : 0)
  }
  classes[BLANK] = IS_VALUE
  classes[TAB] = IS_VALUE
  return classes
})()

/**
 * A request with one of these needs more than a head and a body of known length, or Node keeps the header as a list.
 */
const NEVER_PLAIN: ReadonlySet<string> = new Set([
  'transfer-encoding',
  'expect',
  'upgrade',
  'proxy-connection',
  'set-cookie',
])
const MAX_LENGTH_DIGITS = 15
const LENGTH = /^\d{1,15}$/
const VERSION = Buffer.from(' HTTP/1.1\r\n')

/** Offsets of each header line: start and end of the name, start and end of the value. Heads are read one at a time. */
const places = new Int32Array(4 * MAX_HEADERS)

/**
 * Reads the plain heads of one connection. A head is plain when it is whole, HTTP/1.1 and visible ASCII, has one line
 * for each header and no name twice, and has a `Content-Length` or no body. Node reads every plain head in the same
 * way. The reader gives no verdict on any other head.
 *
 * Clients send nearly the same head with each request of a connection. The reader remembers the last one and compares
 * bytes; only the length of the body may differ.
 */
export class HeadReader {
  #last: LastHead | undefined

  /** @returns undefined for bytes that do not begin with a whole plain head */
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
  /** The bytes before the digits of the length, or the whole head. */
  readonly before: Buffer
  /** The bytes after the digits. */
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
  if (methodEnd === 0 || bytes[at] !== BLANK || bytes[at + 1] !== SLASH) return undefined
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
  const method = text.slice(0, methodEnd)
  if (!PLAIN_METHODS.has(method)) return undefined
  const start = { method, target: text.slice(methodEnd + 1, targetEnd) }
  return toHead(text, count, { ...start, endsAt: at + 2 })
}

/** @returns the offset of the next line, -1 for a line that is not plain */
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
  // Node keeps a tab after some values.
  if (bytes[at - 1] === TAB && at > (places[place + 2] ?? 0)) return -1
  places[place + 3] = at
  return next
}

/** @returns the first offset from `at` on whose byte is not of the class; the end of the bytes has no class */
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
  const headers: Record<string, string> = {}
  const rawHeaders: string[] = []
  for (let place = 0; place < 4 * count; place += 4) {
    const name = text.slice(places[place], places[place + 1])
    const value = text.slice(places[place + 2], places[place + 3])
    const key = name.toLowerCase()
    // `in` also finds the names that every object inherits.
    if (key in headers || NEVER_PLAIN.has(key)) return undefined
    headers[key] = value
    rawHeaders.push(name, value)
  }
  const { connection, 'content-length': length = '0' } = headers
  const option = connection?.toLowerCase() ?? 'keep-alive'
  if (!LENGTH.test(length) || (option !== 'keep-alive' && option !== 'close')) return undefined
  return { ...start, headers, rawHeaders, contentLength: Number(length), keepsAlive: option === 'keep-alive' }
}
