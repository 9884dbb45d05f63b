import { invalidReply } from './errors.ts'
import type { Header } from './upstream.ts'

/** The way the end of a body is found (RFC 9112, 6.3). */
export type BodyFraming = 'none' | 'length' | 'chunked' | 'close'

/** A reply's status line and headers, and the connection facts in them. */
export interface ParsedHead {
  /** 100..599. */
  readonly status: number
  /** In the order they came, repeated ones included; names in lower case. */
  readonly headers: readonly Header[]
  readonly framing: BodyFraming
  /** Bytes of a body with `framing: 'length'`; 0 for the others. */
  readonly lengthBytes: number
  /** Whether the connection may carry another request. */
  readonly keepAlive: boolean
  /** Seconds after which the upstream closes an idle connection, where it says so. */
  readonly keepAliveSeconds: number | undefined
}

const SPACE = 0x20
const TAB = 0x09
const COLON = 0x3a
const DELETE = 0x7f

/** 1 for the characters of a token (RFC 9110, 5.6.2). */
const TOKEN = Uint8Array.from({ length: 256 }, (_, code) =>
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]/.test(String.fromCharCode(code)) ? 1 : 0,
)
const STATUS_LINE = /^HTTP\/1\.([01]) ([1-5][0-9][0-9])(?: [\t\x20-\x7e\x80-\xff]*)?$/
const MAX_LENGTH_DIGITS = 15

/** Facts about framing and connection, gathered while the headers are read. */
interface Framing {
  length: string | undefined
  coding: string | undefined
  connection: string
  keepAlive: string
}

/**
 * Reads a head: the text up to the empty line, as Latin-1, without it. Strict where leniency would let two readers
 * disagree on the end of a reply: bare CR or LF, folded lines, blanks before a colon, a repeated or unclear length, any
 * coding but `chunked`.
 *
 * @param isHead whether the request was HEAD @throws {SvcError} `upstream_failed`, reason `invalid_reply`
 */
export function parseHead(text: string, isHead: boolean): ParsedHead {
  const lineEnd = text.indexOf('\r\n')
  const match = STATUS_LINE.exec(lineEnd < 0 ? text : text.slice(0, lineEnd))
  if (match === null) throw invalidReply('the status line is malformed')
  const status = Number(match[2])
  const headers: Header[] = []
  const framing: Framing = { length: undefined, coding: undefined, connection: '', keepAlive: '' }
  let position = lineEnd < 0 ? text.length : lineEnd + 2
  while (position < text.length) {
    const found = text.indexOf('\r\n', position)
    const end = found < 0 ? text.length : found
    readField({ text, start: position, end, headers, framing })
    position = found < 0 ? text.length : found + 2
  }
  const isOld = match[1] === '0'
  return { status, headers, ...findBody({ status, isHead, isOld, framing }), ...readConnection(isOld, framing) }
}

interface Field {
  readonly text: string
  readonly start: number
  readonly end: number
  readonly headers: Header[]
  readonly framing: Framing
}

function readField({ text, start, end, headers, framing }: Field): void {
  let colon = start
  while (colon < end && TOKEN[text.charCodeAt(colon)] === 1) colon += 1
  if (colon === start || text.charCodeAt(colon) !== COLON) throw invalidReply('a header name is malformed')
  let from = colon + 1
  while (from < end && isBlank(text.charCodeAt(from))) from += 1
  let to = end
  while (to > from && isBlank(text.charCodeAt(to - 1))) to -= 1
  for (let index = from; index < to; index += 1) {
    const code = text.charCodeAt(index)
    if ((code < SPACE && code !== TAB) || code === DELETE)
      throw invalidReply('a header value holds a control character')
  }
  const name = text.slice(start, colon).toLowerCase()
  const value = text.slice(from, to)
  headers.push([name, value])
  noteFraming(framing, name, value)
}

function noteFraming(framing: Framing, name: string, value: string): void {
  switch (name) {
    case 'content-length':
      if (framing.length !== undefined) throw invalidReply('the content length is given twice')
      framing.length = value
      return
    case 'transfer-encoding':
      if (framing.coding !== undefined) throw invalidReply('the transfer encoding is given twice')
      framing.coding = value
      return
    case 'connection':
      framing.connection += `,${value.toLowerCase()}`
      return
    case 'keep-alive':
      framing.keepAlive = value
      return
  }
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB
}

function findBody(options: {
  status: number
  isHead: boolean
  isOld: boolean
  framing: Framing
}): Pick<ParsedHead, 'framing' | 'lengthBytes'> {
  const { status, isHead, isOld, framing } = options
  const { length, coding } = framing
  if (coding !== undefined) {
    if (length !== undefined) throw invalidReply('both a content length and a transfer encoding are given')
    if (isOld || coding.toLowerCase() !== 'chunked') throw invalidReply('the transfer encoding is not chunked')
  }
  const lengthBytes = length === undefined ? 0 : parseLength(length)
  if (isHead || status < 200 || status === 204 || status === 304) return { framing: 'none', lengthBytes: 0 }
  if (coding !== undefined) return { framing: 'chunked', lengthBytes: 0 }
  if (length === undefined) return { framing: 'close', lengthBytes: 0 }
  return { framing: lengthBytes === 0 ? 'none' : 'length', lengthBytes }
}

function parseLength(text: string): number {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code < 0x30 || code > 0x39) throw invalidReply('the content length is not a number')
  }
  if (text === '' || text.length > MAX_LENGTH_DIGITS) throw invalidReply('the content length is out of range')
  return Number(text)
}

/** The connection header of nearly all upstreams, as gathered. */
const KEEP_ALIVE_ALONE = ',keep-alive'
const KEEP_ALIVE_WORDS: readonly string[] = ['keep-alive']

function readConnection(isOld: boolean, framing: Framing): Pick<ParsedHead, 'keepAlive' | 'keepAliveSeconds'> {
  const { connection, keepAlive } = framing
  const words = connection === '' ? [] : connection === KEEP_ALIVE_ALONE ? KEEP_ALIVE_WORDS : connection.split(/[,\s]+/)
  const seconds = keepAlive === '' ? undefined : /(?:^|[,\s])timeout=(\d{1,6})(?:[,\s]|$)/i.exec(keepAlive)?.[1]
  return {
    keepAlive: !words.includes('close') && (!isOld || words.includes('keep-alive')),
    keepAliveSeconds: seconds === undefined ? undefined : Number(seconds),
  }
}
