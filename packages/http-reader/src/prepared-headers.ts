import { checkHeader } from './header-syntax.ts'

/** Headers that many replies share, already in the form of a head. Their names and values have been checked. */
export interface PreparedHeaders {
  /** In lower case. */
  readonly names: ReadonlySet<string>
  /** Lines of a head, each with its CRLF. */
  readonly lines: string
}

/** No headers. */
export const NO_HEADERS: PreparedHeaders = { names: new Set(), lines: '' }

/**
 * Checks headers and puts them into the form of a head, once for many replies.
 *
 * @throws {TypeError} for a name or a value that no header can have
 */
export function toPreparedHeaders(headers: readonly (readonly [string, string])[]): PreparedHeaders {
  for (const [name, value] of headers) checkHeader(name, value)
  return {
    names: new Set(headers.map(([name]) => name.toLowerCase())),
    lines: headers.map(([name, value]) => `${name}: ${value}\r\n`).join(''),
  }
}

/**
 * Lists names and values of the prepared headers that are not given elsewhere.
 *
 * @param isGiven takes a name in lower case
 */
export function listMissing({ lines }: PreparedHeaders, isGiven: (name: string) => boolean): [string, string][] {
  return lines.split('\r\n').flatMap((line): [string, string][] => {
    const colon = line.indexOf(': ')
    const name = line.slice(0, Math.max(colon, 0))
    return colon < 0 || isGiven(name.toLowerCase()) ? [] : [[name, line.slice(colon + 2)]]
  })
}
