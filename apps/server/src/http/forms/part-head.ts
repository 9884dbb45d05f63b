import { SvcError } from '@svc/errors'
import { unparsable } from '../../inference/documents/unparsable.ts'

/** The head of a part. */
export interface PartHead {
  /** The name of the field. */
  readonly name: string
  /** The name of the file. Undefined for a text. */
  readonly filename: string | undefined
  /** Media type in lower case without parameters; empty when the part has none. */
  readonly mediaType: string
}

/** Values of headers by lower-case names, as bytes in latin1. */
type RawHeaders = ReadonlyMap<string, readonly string[]>

/** Longest name of a field, bytes. */
const MAX_NAME_BYTES = 200
/** A parameter: its name, then a quoted value or a token. */
const PARAMETER = /;[\t ]*([\w!#$%&'*+.^`|~-]+)[\t ]*=[\t ]*(?:"((?:[^"\\]|\\[\s\S])*)"|([^";\s]*))[\t ]*/y
const TYPE = /^[\t ]*([\w!#$&^.+-]+(?:\/[\w!#$&^.+-]+)?)[\t ]*(?=;|$)/
const EXTENDED = /^([\w!#$%&+^`{}~-]*)'[^']*'(.*)$/s
const BOUNDARY = /^[\w'()+,./:=? -]{0,69}[\w'()+,./:=?-]$/
const HEADER = /^([\w!#$%&'*+.^`|~-]+):[\t ]?([^\r\n]*)$/
const FOLDED = /^[\t ][^\r\n]*$/
const UTF8_NAMES = /^utf-?8$|^us-ascii$/i
/** Encodings that leave the bytes as they are. */
const PLAIN_ENCODINGS: ReadonlySet<string> = new Set(['7bit', '8bit', 'binary'])

/**
 * Reads the boundary of a form from its media type.
 *
 * @throws {SvcError} `invalid_request` for another media type, and without a boundary
 */
export function readBoundary(contentType: string | undefined): string {
  const value = readValue(contentType ?? '', 'the Content-Type of the request')
  if (value.type !== 'multipart/form-data') throw unparsable('the body must be a form (multipart/form-data)')
  const boundary = value.parameters.get('boundary') ?? ''
  if (!BOUNDARY.test(boundary)) throw unparsable('the Content-Type has no boundary')
  return boundary
}

/**
 * Reads the head of a part.
 *
 * @param text the bytes in latin1 from the boundary to the empty line
 * @throws {SvcError} `invalid_request`, `unsupported_media` for an encoding other than UTF-8
 */
export function readPartHead(text: string): PartHead {
  const headers = readHeaders(text)
  const { type, parameters } = readValue(
    readHeader(headers, 'content-disposition'),
    'the Content-Disposition of a part',
  )
  if (type !== 'form-data') throw unparsable('a part has no Content-Disposition: form-data')
  const name = readName(parameters, 'name') ?? ''
  if (name === '') throw unparsable('a field has no name')
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw unparsable(`a field has a name of over ${MAX_NAME_BYTES} bytes`)
  const content = readValue(readHeader(headers, 'content-type'), `the Content-Type of the field ${name}`)
  if (content.type.startsWith('multipart/')) throw unparsable(`${name}: forms inside forms are not read`, name)
  const encoding = readHeader(headers, 'content-transfer-encoding').trim().toLowerCase()
  if (encoding !== '' && !PLAIN_ENCODINGS.has(encoding))
    throw unsupported(`${name}: the bytes must not be encoded`, name)
  const filename = readName(parameters, 'filename')
  const charset = content.parameters.get('charset')
  if (filename === undefined && charset !== undefined && !UTF8_NAMES.test(charset)) {
    throw unsupported(`${name}: texts must be UTF-8`, name)
  }
  return { name, filename, mediaType: content.type }
}

/** Decodes a text. @throws {SvcError} `invalid_request` for bytes that are not UTF-8 */
function decodeText(bytes: Uint8Array, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw unparsable(`${what} is not UTF-8`)
  }
}

interface HeaderValue {
  /** Media type in lower case. */
  readonly type: string
  /** Parameters by lower-case names, as bytes in latin1. */
  readonly parameters: ReadonlyMap<string, string>
}

/** Reads the lines of a head. The rest of the line of the boundary comes first. */
function readHeaders(text: string): RawHeaders {
  const headers = new Map<string, string[]>()
  const [rest, ...lines] = text.split('\r\n')
  let last: string[] | undefined
  for (const line of lines) {
    if (last !== undefined && FOLDED.test(line)) {
      last.push(`${last.pop()}${line}`)
      continue
    }
    const [, name = '', value = ''] = HEADER.exec(line) ?? []
    if (name === '') throw malformedHead()
    last = headers.get(name.toLowerCase()) ?? []
    last.push(value)
    headers.set(name.toLowerCase(), last)
  }
  if (rest !== '') throw malformedHead()
  return headers
}

function malformedHead(): SvcError {
  return unparsable('the head of a part has a line that is not a header')
}

function readHeader(headers: RawHeaders, name: string): string {
  const values = headers.get(name) ?? []
  if (values.length > 1) throw unparsable(`a part has ${values.length} headers ${name}`)
  return values[0] ?? ''
}

function readValue(text: string, what: string): HeaderValue {
  const parameters = new Map<string, string>()
  if (text.trim() === '') return { type: '', parameters }
  const start = TYPE.exec(text)
  if (start === null) throw unparsable(`${what} is malformed`)
  let at = start[0].length
  while (at < text.length) {
    // A semicolon at the end is a habit of some clients.
    if (/^;[\t ]*$/.test(text.slice(at))) break
    PARAMETER.lastIndex = at
    const found = PARAMETER.exec(text)
    const name = found?.[1]?.toLowerCase()
    if (found === null || name === undefined || parameters.has(name)) throw unparsable(`${what} is malformed`)
    parameters.set(name, found[2] === undefined ? (found[3] ?? '') : unescapeQuoted(found[2]))
    at = PARAMETER.lastIndex
  }
  return { type: start[1]?.toLowerCase() ?? '', parameters }
}

/** A backslash before another letter stays: it separates folders on Windows. */
function unescapeQuoted(text: string): string {
  return text.replaceAll(/\\(["\\])/g, '$1')
}

/** Reads a parameter that may also come in the extended form of RFC 5987, which takes precedence. */
function readName(parameters: HeaderValue['parameters'], name: 'name' | 'filename'): string | undefined {
  const extended = parameters.get(`${name}*`)
  const text = extended === undefined ? readPlain(parameters.get(name), name) : readExtended(extended, name)
  if (text !== undefined && hasControl(text)) throw unparsable(`a ${name} of a field has control characters`)
  return text
}

/** Browsers write a quote and line breaks with a percent sign. */
function readPlain(value: string | undefined, name: string): string | undefined {
  if (value === undefined) return undefined
  return decodeText(Buffer.from(value, 'latin1'), `a ${name} of a field`).replaceAll('%22', '"')
}

function readExtended(value: string, name: string): string {
  const [, charset = '', encoded = ''] = EXTENDED.exec(value) ?? []
  if (!UTF8_NAMES.test(charset)) throw unparsable(`a ${name}* of a field is not in UTF-8`)
  try {
    return decodeURIComponent(encoded)
  } catch {
    throw unparsable(`a ${name}* of a field is malformed`)
  }
}

function hasControl(text: string): boolean {
  return /\p{Cc}/u.test(text)
}

function unsupported(message: string, param: string): SvcError {
  return new SvcError('unsupported_media', message, { code: 'unsupported_part', details: { param } })
}
