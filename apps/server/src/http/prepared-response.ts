import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import type { ServerReply } from './messages.ts'
import { linesWithout, NO_HEADERS, type PreparedHeaders } from './prepared-headers.ts'

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * Node's response with headers that are prepared and written only with the head. A header that is set, or given with the
 * head, goes before a prepared one of its name.
 */
export class PreparedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #prepared = NO_HEADERS
  /** Whether the client waits to be told that its body is wanted (`Expect: 100-continue`). */
  awaitsInvitation = false

  invite(): void {
    if (this.awaitsInvitation) this.writeContinue()
    this.awaitsInvitation = false
  }

  /** Takes the headers that the head will have beside those that are set. */
  prepare(headers: PreparedHeaders): void {
    this.#prepared = headers
  }

  override writeHead(status: number, ...rest: [(string | GivenHeaders)?, GivenHeaders?]): this {
    const [first, second] = rest
    const given = typeof first === 'string' ? second : first
    setMissing(this, namesOf(given), this.#prepared)
    this.#prepared = NO_HEADERS
    return typeof first === 'string' ? super.writeHead(status, first, given) : super.writeHead(status, given)
  }
}

/** Prepares headers of a reply; those of one that has no place for them are set. */
export function prepareHeaders(outgoing: ServerReply, headers: PreparedHeaders): void {
  if (outgoing.prepare !== undefined) outgoing.prepare(headers)
  else setMissing(outgoing, new Set(), headers)
}

function setMissing(response: ServerReply, given: ReadonlySet<string>, headers: PreparedHeaders): void {
  for (const [name, value] of linesWithout(headers, (key) => response.hasHeader(key) || given.has(key))) {
    response.setHeader(name, value)
  }
}

/** Names of headers in lower case. */
function namesOf(given: GivenHeaders | undefined): ReadonlySet<string> {
  const names = Array.isArray(given) ? given.filter((_, index) => index % 2 === 0) : Object.keys(given ?? {})
  return new Set(names.map((name) => String(name).toLowerCase()))
}
