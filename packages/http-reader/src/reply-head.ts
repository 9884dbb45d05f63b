import { checkHeader, type HeaderValue } from './header-syntax.ts'
import { listMissing, type PreparedHeaders } from './prepared-headers.ts'

/** A header that was set before the head was written. */
export interface SetHeader {
  readonly name: string
  readonly value: HeaderValue
}

const CLOSE_OPTION = /(?:^|,)\s*close\s*(?:,|$)/i

/** Collects the lines of the head of one reply. A header that is added replaces a prepared one of its name. */
export class ReplyHead {
  readonly #prepared: PreparedHeaders
  #lines = ''
  readonly #names: string[] = []
  #replacesPrepared = false
  #hasDate = false
  hasLength = false
  /** Whether a `Connection` header asks for the end of the connection. */
  closes = false

  constructor(prepared: PreparedHeaders) {
    this.#prepared = prepared
  }

  /** @throws {TypeError} for a name or a value that no header can have */
  add(name: string, value: HeaderValue, key = name.toLowerCase()): void {
    checkHeader(name, value)
    // The reply frames its body itself.
    if (key === 'transfer-encoding') return
    this.#names.push(key)
    if (key === 'content-length') this.hasLength = true
    else if (key === 'date') this.#hasDate = true
    else if (this.#prepared.names.has(key)) this.#replacesPrepared = true
    else if (key === 'connection') {
      this.closes ||= CLOSE_OPTION.test(String(value))
      return
    }
    if (Array.isArray(value)) for (const line of value) this.#lines += `${name}: ${line}\r\n`
    else this.#lines += `${name}: ${value}\r\n`
  }

  /** Adds the headers whose names have not been added yet. */
  addMissing(headers: ReadonlyMap<string, SetHeader>): void {
    const given = this.#names.slice()
    for (const [key, { name, value }] of headers) if (!given.includes(key)) this.add(name, value, key)
  }

  /** All lines except lines about the connection and the framing, each with its CRLF. */
  toLines(): string {
    const date = this.#hasDate ? '' : dateLine()
    if (!this.#replacesPrepared) return this.#lines + this.#prepared.lines + date
    for (const [name, value] of listMissing(this.#prepared, (key) => this.#names.includes(key))) {
      this.#lines += `${name}: ${value}\r\n`
    }
    return this.#lines + date
  }
}

/** The `Date` line of the current second: most replies of a second share it. */
const latest = { second: -1, line: '' }

function dateLine(): string {
  const now = Date.now()
  const second = Math.floor(now / 1000)
  if (second !== latest.second) {
    latest.second = second
    latest.line = `Date: ${new Date(now).toUTCString()}\r\n`
  }
  return latest.line
}
