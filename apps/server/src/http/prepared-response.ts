import { IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { ServerReply } from './messages.ts'
import { linesWithout, NO_HEADERS, type PreparedHeaders } from './prepared-headers.ts'

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[]

/** The text of a head, which Node keeps here from `writeHead` until it is sent. */
interface KeptHead {
  _header?: unknown
}

const END_OF_HEAD = '\r\n\r\n'

/**
 * Node's response with headers that are prepared and written only with the head: setting each of them would check, file
 * and read it again, which for a small reply costs more than sending it. A header that is set, or given with the head, goes
 * before a prepared one of its name.
 */
export class PreparedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #prepared = NO_HEADERS

  /** Takes the headers that the head will have beside those that are set. */
  prepare(headers: PreparedHeaders): void {
    this.#prepared = headers
  }

  override writeHead(status: number, ...rest: [(string | GivenHeaders)?, GivenHeaders?]): this {
    const prepared = this.#prepared
    this.#prepared = NO_HEADERS
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

/** Prepares headers of a reply; those of one that has no place for them are set. */
export function prepareHeaders(outgoing: ServerReply, headers: PreparedHeaders): void {
  if (outgoing.prepare !== undefined) outgoing.prepare(headers)
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

function hasAny(response: ServerResponse, given: GivenHeaders | undefined, names: ReadonlySet<string>): boolean {
  for (const name of response.getHeaderNames()) if (names.has(name)) return true
  return isGiven(given, names)
}

function isGiven(given: GivenHeaders | undefined, names: ReadonlySet<string>): boolean {
  if (Array.isArray(given)) {
    for (let at = 0; at < given.length; at += 2) if (isOneOf(given[at], names)) return true
    return false
  }
  for (const name in given) if (isOneOf(name, names)) return true
  return false
}

function isOneOf(name: OutgoingHttpHeader | undefined, names: ReadonlySet<string>): boolean {
  return names.has(String(name).toLowerCase())
}

function setMissing(response: ServerReply, given: GivenHeaders | undefined, headers: PreparedHeaders): void {
  const missing = linesWithout(headers, (key) => response.hasHeader(key) || isGiven(given, new Set([key])))
  for (const [name, value] of missing) response.setHeader(name, value)
}
