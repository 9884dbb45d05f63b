/** The result of looking into the first bytes of a connection. */
export type ServerNameSearch =
  | { readonly state: 'more' }
  /** No ClientHello, or one without a name. */
  | { readonly state: 'none' }
  | { readonly state: 'found'; readonly serverName: string }

/** A ClientHello larger than this is not looked into. */
export const MAX_HELLO_BYTES = 16 * 1024 + 5

const HANDSHAKE_RECORD = 22
/** Type, version and length. */
const RECORD_HEADER_BYTES = 5
const CLIENT_HELLO = 1
const SERVER_NAME = 0
const HOST_NAME = 0
const NONE = { state: 'none' } as const
const MORE = { state: 'more' } as const

/** Finds the server name in a ClientHello (RFC 8446, 4.1.2; RFC 6066, 3), whose records may come cut anywhere. */
export function findServerName(bytes: Buffer): ServerNameSearch {
  const handshake = joinRecords(bytes)
  if (handshake === undefined) return NONE
  if (handshake.length < 4) return bytes.length >= MAX_HELLO_BYTES ? NONE : MORE
  if (handshake[0] !== CLIENT_HELLO) return NONE
  const size = handshake.readUIntBE(1, 3)
  if (size + 4 > MAX_HELLO_BYTES) return NONE
  if (handshake.length < 4 + size) return bytes.length >= MAX_HELLO_BYTES ? NONE : MORE
  try {
    return readHello(new Reader(handshake.subarray(4, 4 + size)))
  } catch (error) {
    if (error instanceof RangeError) return NONE
    throw error
  }
}

/** The content of the handshake records so far; undefined for bytes of another kind. */
function joinRecords(bytes: Buffer): Buffer | undefined {
  const parts: Buffer[] = []
  for (let start = 0; start < bytes.length; ) {
    if (bytes[start] !== HANDSHAKE_RECORD) return parts.length > 0 ? Buffer.concat(parts) : undefined
    const header = bytes.subarray(start, start + RECORD_HEADER_BYTES)
    if (header.length < RECORD_HEADER_BYTES) break
    const content = start + header.length
    const end = content + header.readUInt16BE(3)
    parts.push(bytes.subarray(content, end))
    start = end
  }
  return Buffer.concat(parts)
}

class Reader {
  readonly #bytes: Buffer
  #position = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get isAtEnd(): boolean {
    return this.#position >= this.#bytes.length
  }

  number(size: number): number {
    return this.bytes(size).readUIntBE(0, size)
  }

  bytes(size: number): Buffer {
    const end = this.#position + size
    if (end > this.#bytes.length) throw new RangeError('the ClientHello is shorter than it says')
    const part = this.#bytes.subarray(this.#position, end)
    this.#position = end
    return part
  }

  /** A part with its length before it. */
  vector(lengthSize: number): Reader {
    return new Reader(this.bytes(this.number(lengthSize)))
  }

  rest(): Buffer {
    return this.bytes(this.#bytes.length - this.#position)
  }
}

function readHello(hello: Reader): ServerNameSearch {
  hello.bytes(34)
  hello.vector(1)
  hello.vector(2)
  hello.vector(1)
  if (hello.isAtEnd) return NONE
  const extensions = hello.vector(2)
  while (!extensions.isAtEnd) {
    const type = extensions.number(2)
    const content = extensions.vector(2)
    if (type !== SERVER_NAME) continue
    const names = content.vector(2)
    while (!names.isAtEnd) {
      const kind = names.number(1)
      const name = names.vector(2).rest().toString('latin1')
      if (kind === HOST_NAME) return { state: 'found', serverName: name }
    }
  }
  return NONE
}
