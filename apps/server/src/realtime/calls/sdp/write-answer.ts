import { isIPv4 } from 'node:net'
import { SvcError } from '@svc/errors'

/** Which addresses of the server a client is told. */
export interface OwnAddresses {
  /** Addresses that may be told; undefined for all. */
  readonly allowed: ReadonlySet<string> | undefined
  /** Further addresses under which the server is reached at the same ports. */
  readonly further: readonly string[]
}

/** An address of the server, as a line of the answer has it. */
interface Candidate {
  readonly address: string
  readonly port: string
}

const CANDIDATE = /^a=candidate:\S+ 1 UDP \d+ (\S+) (\d+) typ host\b/i
/** A host address that is tried first (RFC 8445, section 5.1.2.1). */
const FIRST_PRIORITY = 126 * 2 ** 24 + 65_535 * 2 ** 8 + 255

/**
 * Writes the answer for the client: with the addresses that it may be told, the further ones first.
 *
 * @throws {SvcError} `unavailable` with the code `no_media_address` where none is left
 */
export function writeAnswer(answer: string, { allowed, further }: OwnAddresses): string {
  const lines = answer.split(/\r?\n/).filter((line) => line !== '')
  const found = lines.flatMap((line) => readCandidate(line) ?? [])
  const told = [
    ...further.flatMap((address) => {
      const own = found.find((each) => isIPv4(each.address) === isIPv4(address)) ?? found[0]
      return own === undefined ? [] : [{ address, port: own.port }]
    }),
    ...found.filter(({ address }) => allowed === undefined || allowed.has(address)),
  ]
  if (told.length === 0) {
    throw new SvcError('unavailable', 'the server has no network address for calls', { code: 'no_media_address' })
  }
  const candidates = told.map(writeCandidate)
  const written = lines.flatMap((line) => {
    if (line.startsWith('a=candidate:')) return []
    if (line === 'a=end-of-candidates') return [...candidates, line]
    if (line.startsWith('c=')) return ['c=IN IP4 0.0.0.0']
    return [line.replace(/^(m=\S+) \d+ /, '$1 9 ')]
  })
  return written.map((line) => `${line}\r\n`).join('')
}

function readCandidate(line: string): Candidate | undefined {
  const [, address, port] = CANDIDATE.exec(line) ?? []
  return address === undefined || port === undefined ? undefined : { address, port }
}

function writeCandidate({ address, port }: Candidate, at: number): string {
  return `a=candidate:${at + 1} 1 UDP ${FIRST_PRIORITY - at * 256} ${address} ${port} typ host`
}
