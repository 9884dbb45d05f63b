import { hkdfSync, randomBytes } from 'node:crypto'
import { SvcError } from '@svc/errors'

/** What a token says. */
export interface TokenFacts {
  /** The secret of the network, 32 bytes as hexadecimal digits. */
  readonly key: string
  /** Addresses of members to join by. */
  readonly peers: readonly string[]
}

/** Most addresses in a token. */
const MAX_PEERS = 16
const MAX_LENGTH = 8192
const KEY = /^[0-9a-f]{64}$/

/** Whether a text is the secret of a network. */
export function isKey(text: string): boolean {
  return KEY.test(text)
}

/** Makes the secret of a new network. */
export function createKey(): string {
  return randomBytes(32).toString('hex')
}

/** Writes a token: JSON in base64 for URLs. */
export function formatToken({ key, peers }: TokenFacts): string {
  return Buffer.from(JSON.stringify({ svc: 1, key, peers: peers.slice(0, MAX_PEERS) })).toString('base64url')
}

/** Reads a token. @throws {SvcError} `invalid_request` for anything else, such as a token of another product */
export function readToken(text: string): TokenFacts {
  const facts = findFacts(text)
  if (facts !== undefined) return facts
  throw new SvcError('invalid_request', 'this is not a token of a peer-to-peer network of svc', {
    code: 'invalid_p2p_token',
  })
}

/** Whether a text is a token. */
export function isToken(text: string): boolean {
  return findFacts(text) !== undefined
}

function findFacts(text: string): TokenFacts | undefined {
  const facts = text.length > MAX_LENGTH ? undefined : parse(text.trim())
  if (typeof facts === 'object' && facts !== null) {
    const { svc, key, peers = [] } = facts as Record<string, unknown>
    const isList = Array.isArray(peers) && peers.length <= MAX_PEERS && peers.every(isAddress)
    if (svc === 1 && typeof key === 'string' && isKey(key) && isList) return { key, peers }
  }
  return undefined
}

/** Whether a value can be the address of a member: a multiaddress of TCP. */
export function isAddress(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 256 &&
    /^\/(?:ip4|ip6|dns|dns4|dns6)\/[\w.:-]+\/tcp\/\d{1,5}(?:\/p2p\/\w+)?$/.test(value)
  )
}

function parse(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString())
  } catch {
    return undefined
  }
}

/** The network that a key, a name and a period belong to. */
export interface NetworkPlace {
  readonly key: string
  readonly networkId: string
  /** The number of the password: the time since the epoch in intervals. */
  readonly period: number
}

/** The password of a network in one period, in the form of a swarm key. */
export function derivePassword({ key, networkId, period }: NetworkPlace): Uint8Array {
  const secret = derive({ key, networkId }, `svc p2p password ${period}`, 32)
  return Buffer.from(`/key/swarm/psk/1.0.0/\n/base16/\n${secret}\n`)
}

/** The name under which members find each other by multicast. It tells nothing of the token. */
export function deriveServiceName(place: Omit<NetworkPlace, 'period'>): string {
  return `_${derive(place, 'svc p2p multicast', 8)}._udp.local`
}

function derive({ key, networkId }: Omit<NetworkPlace, 'period'>, purpose: string, bytes: number): string {
  return Buffer.from(hkdfSync('sha256', Buffer.from(key, 'hex'), networkId, purpose, bytes)).toString('hex')
}
