import { type IncomingMessage, type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { listMissing, NO_HEADERS, type PreparedHeaders } from '@svc/http-reader'
import type { ServerReply } from './messages.ts'

type GivenHeaders = OutgoingHttpHeaders | OutgoingHttpHeader[]

/**
 * Node's response, with prepared headers that are written with the head. A header of the same name that was set, or is given
 * with the head, wins.
 */
export class PreparedResponse<Request extends IncomingMessage = IncomingMessage> extends ServerResponse<Request> {
  #prepared = NO_HEADERS
  /** Whether the client sends its body only after a `100 Continue` (`Expect: 100-continue`). */
  awaitsContinue = false

  sendContinue(): void {
    if (this.awaitsContinue) this.writeContinue()
    this.awaitsContinue = false
  }

  prepare(headers: PreparedHeaders): void {
    this.#prepared = headers
  }

  override writeHead(status: number, ...rest: [(string | GivenHeaders)?, GivenHeaders?]): this {
    const [first, second] = rest
    const given = typeof first === 'string' ? second : first
    setMissing(this, listNames(given), this.#prepared)
    this.#prepared = NO_HEADERS
    return typeof first === 'string' ? super.writeHead(status, first, given) : super.writeHead(status, given)
  }
}

/** Prepares headers of a reply, or sets them where the reply takes no prepared ones. */
export function prepareHeaders(outgoing: ServerReply, headers: PreparedHeaders): void {
  if (outgoing.prepare !== undefined) outgoing.prepare(headers)
  else setMissing(outgoing, new Set(), headers)
}

function setMissing(response: ServerReply, given: ReadonlySet<string>, headers: PreparedHeaders): void {
  for (const [name, value] of listMissing(headers, (key) => response.hasHeader(key) || given.has(key))) {
    response.setHeader(name, value)
  }
}

/** Names of headers in lower case. */
function listNames(given: GivenHeaders | undefined): ReadonlySet<string> {
  const names = Array.isArray(given) ? given.filter((_, index) => index % 2 === 0) : Object.keys(given ?? {})
  return new Set(names.map((name) => String(name).toLowerCase()))
}
