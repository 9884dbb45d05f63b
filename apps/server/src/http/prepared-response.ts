import {
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  ServerResponse,
  validateHeaderName,
  validateHeaderValue,
} from 'node:http'
import { Socket } from 'node:net'

/** Headers that go into the head of a reply as they stand: names and values are known to be fit for it. */
export interface PreparedHeaders {
  /** In lower case. */
  readonly names: readonly string[]
  /** Lines of a head, each with its end. */
  readonly lines: string
}

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** The text of a head, which Node keeps here from `writeHead` until it is sent. */
interface KeptHead {
  _header?: unknown
}

const END_OF_HEAD = '\r\n\r\n'
const NOTHING: PreparedHeaders = { names: [], lines: '' }

/**
 * Puts headers into the form of a head, once for many replies.
 *
 * @throws {TypeError} for a name or value that no header can have
 */
export function toPreparedHeaders(headers: readonly (readonly [string, string])[]): PreparedHeaders {
  for (const [name, value] of headers) {
    validateHeaderName(name)
    validateHeaderValue(name, value)
  }
  return {
    names: headers.map(([name]) => name.toLowerCase()),
    lines: headers.map(([name, value]) => `${name}: ${value}\r\n`).join(''),
  }
}

/**
 * Node's response with headers that are prepared and written only with the head: setting each of them would check, file
 * and read it again, which for a small reply costs more than sending it. A header that is set, or given with the head, goes
 * before a prepared one of its name.
 */
export class PreparedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #prepared = NOTHING

  /** Takes the headers that the head will have beside those that are set. */
  prepare(headers: PreparedHeaders): void {
    this.#prepared = headers
  }

  override writeHead(status: number, ...rest: [(string | GivenHeaders)?, GivenHeaders?]): this {
    const prepared = this.#prepared
    this.#prepared = NOTHING
    const [first, second] = rest
    const given = typeof first === 'string' ? second : first
    const isAlone = canInsert && !hasAny(this, given, prepared.names)
    if (!isAlone) setMissing(this, given, prepared)
    if (typeof first === 'string') super.writeHead(status, first, given)
    else super.writeHead(status, given)
    if (isAlone) insert(this, prepared.lines)
    return this
  }
}

/** Prepares headers of a reply; those of a response that is no {@link PreparedResponse} are set. */
export function prepareHeaders(outgoing: ServerResponse, headers: PreparedHeaders): void {
  if (outgoing instanceof PreparedResponse) outgoing.prepare(headers)
  else setMissing(outgoing, undefined, headers)
}

function insert(response: ServerResponse & KeptHead, lines: string): void {
  const head = response._header
  if (typeof head === 'string') response._header = `${head.slice(0, -2)}${lines}\r\n`
}

/** Whether this Node keeps the text of a head where it can be added to. */
const canInsert = ((): boolean => {
  const response: ServerResponse & KeptHead = new ServerResponse(new IncomingMessage(new Socket()))
  response.writeHead(200, ['a', 'b'])
  return typeof response._header === 'string' && response._header.endsWith(END_OF_HEAD)
})()

function hasAny(response: ServerResponse, given: GivenHeaders | undefined, names: readonly string[]): boolean {
  for (const name of response.getHeaderNames()) if (names.includes(name)) return true
  if (Array.isArray(given)) {
    for (let at = 0; at < given.length; at += 2) if (isOneOf(given[at], names)) return true
    return false
  }
  for (const name in given) if (isOneOf(name, names)) return true
  return false
}

function isOneOf(name: OutgoingHttpHeader | undefined, names: readonly string[]): boolean {
  return names.includes(String(name).toLowerCase())
}

function setMissing(response: ServerResponse, given: GivenHeaders | undefined, { lines }: PreparedHeaders): void {
  for (const line of lines.split('\r\n')) {
    const colon = line.indexOf(': ')
    if (colon < 0) continue
    const name = line.slice(0, colon)
    if (!response.hasHeader(name) && !hasAny(response, given, [name.toLowerCase()])) {
      response.setHeader(name, line.slice(colon + 2))
    }
  }
}
