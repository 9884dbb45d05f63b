import { validateHeaderName, validateHeaderValue } from 'node:http'

/** Headers that go into the head of a reply as they stand: names and values are known to be fit for it. */
export interface PreparedHeaders {
  /** In lower case. */
  readonly names: ReadonlySet<string>
  /** Lines of a head, each with its end. */
  readonly lines: string
}

/** No headers. */
export const NO_HEADERS: PreparedHeaders = { names: new Set(), lines: '' }

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
    names: new Set(headers.map(([name]) => name.toLowerCase())),
    lines: headers.map(([name, value]) => `${name}: ${value}\r\n`).join(''),
  }
}

/** The lines of prepared headers whose names are not among others. @param isTaken takes a name in lower case */
export function linesWithout({ lines }: PreparedHeaders, isTaken: (name: string) => boolean): [string, string][] {
  return lines.split('\r\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(': ')
    const name = line.slice(0, Math.max(colon, 0))
    return colon < 0 || isTaken(name.toLowerCase()) ? [] : [[name, line.slice(colon + 2)]]
  })
}
