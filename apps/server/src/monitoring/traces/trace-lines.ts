import { crc32 } from 'node:zlib'

/** A stored trace: its head as JSON, and its bodies. */
export interface TraceLine {
  /** JSON of one line. */
  readonly head: string
  /** A body that was not kept is undefined. */
  readonly bodies: readonly (Uint8Array | undefined)[]
}

const TAB = 0x09
const SUM_LENGTH = 8

const toSum = (content: string | Uint8Array): string => crc32(content).toString(16).padStart(SUM_LENGTH, '0')

/** Writes a trace as one line with its checksum: the head, and the bodies in base64 after tabs. */
export function encodeTraceLine({ head, bodies }: TraceLine): string {
  const parts = bodies.map((body) => (body === undefined ? '' : toBase64(body)))
  const content = [head, ...parts].join('\t')
  return `${toSum(content)}\t${content}\n`
}

function toBase64({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('base64')
}

/** Reads the head of a line without its line feed; undefined for a damaged line. */
export function decodeTraceHead(line: Buffer): string | undefined {
  if (!isWhole(line)) return undefined
  const start = SUM_LENGTH + 1
  const end = line.indexOf(TAB, start)
  return line.toString('utf8', start, end < 0 ? line.length : end)
}

/** Reads the bodies of a line in base64; undefined for a damaged line. */
export function decodeTraceBodies(line: Buffer): readonly (string | undefined)[] | undefined {
  if (!isWhole(line)) return undefined
  const [, , ...bodies] = line.toString('latin1').split('\t')
  return bodies.map((body) => body || undefined)
}

function isWhole(line: Buffer): boolean {
  return line[SUM_LENGTH] === TAB && line.toString('latin1', 0, SUM_LENGTH) === toSum(line.subarray(SUM_LENGTH + 1))
}
