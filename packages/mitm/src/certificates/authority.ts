import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { checkArgument } from '@svc/errors'
import { authorityUnusable } from '../errors.ts'
import { LruCache } from '../limits/lru-cache.ts'
import type { CaStore } from './ca-store.ts'
import { type Issuer, issueLeaf, type KeyedCertificate, makeAuthorityCertificate, readIssuer } from './certificate.ts'

/** Most leaf certificates in memory. */
const MAX_LEAVES = 1000
/** A leaf with less time left is issued again. */
const RENEW_MS = 24 * 3_600_000

/** Options of {@link openAuthority}. */
export interface AuthorityOptions {
  readonly store: CaStore
  /** The organization in the name of a new authority. @default 'svc' */
  readonly organization?: string | undefined
  /** The time in milliseconds. @default Date.now */
  readonly now?: (() => number) | undefined
}

/** The authority whose leaf certificates the proxy shows to its clients. */
export interface Authority {
  /** The certificate that clients trust, PEM. */
  readonly certificate: string
  /** SHA-256 of the certificate: pairs of hexadecimal digits with colons. */
  readonly fingerprint: string
  readonly validUntil: Date
  /**
   * Issues the certificate of a host in canonical form, followed by that of the authority, or finds it: at most 1,000
   * are kept.
   */
  issueLeaf(host: string): KeyedCertificate
}

/**
 * Reads the authority of a store, or makes one where the store is empty. An existing authority is never replaced or
 * renewed.
 *
 * @throws {SvcError} `mitm_authority_unusable`, kind `precondition_failed`, for half a pair, loose modes, or a
 *   certificate that is broken or expired, is not an authority, or has another key. The store stays as it is
 */
export async function openAuthority(options: AuthorityOptions): Promise<Authority> {
  const { store, organization = 'svc', now = Date.now } = options ?? {}
  const isStore = typeof store?.read === 'function' && typeof store.create === 'function'
  checkArgument(isStore, 'openAuthority: store', 'a CaStore', store)
  checkArgument(typeof organization === 'string', 'openAuthority: organization', 'a text', organization)
  let pair = await store.read()
  if (pair === undefined) {
    await store.create(makeAuthorityCertificate(organization, new Date(now())))
    // The stored pair counts: another process may have been first.
    pair = await store.read()
  }
  if (pair === undefined) throw authorityUnusable('the store kept nothing')
  return createAuthority(pair, now)
}

/**
 * Reads the authority of a store without making one.
 *
 * @returns undefined where the store is empty
 * @throws {SvcError} `mitm_authority_unusable`, as {@link openAuthority}
 */
export async function readAuthority(options: Pick<AuthorityOptions, 'store' | 'now'>): Promise<Authority | undefined> {
  const { store, now = Date.now } = options ?? {}
  checkArgument(typeof store?.read === 'function', 'readAuthority: store', 'a CaStore', store)
  const pair = await store.read()
  return pair === undefined ? undefined : createAuthority(pair, now)
}

function createAuthority(pair: KeyedCertificate, now: () => number): Authority {
  const { certificate, key } = checkPair(pair, now())
  const issuer = toIssuer(certificate, key)
  const validUntil = new Date(certificate.validTo)
  const chainEnd = certificate.toString()
  const leaves = new LruCache<{ readonly chain: KeyedCertificate; readonly renewAt: number }>(MAX_LEAVES)

  function findLeaf(host: string): KeyedCertificate {
    const time = now()
    const known = leaves.get(host)
    if (known !== undefined && time < known.renewAt) return known.chain
    const leaf = issueLeaf(issuer, { host, now: new Date(time), until: validUntil })
    const chain = { certificate: `${leaf.certificate}${chainEnd}`, key: leaf.key }
    // A leaf cut short by the end of the authority cannot get better.
    const isLast = leaf.notAfter.getTime() >= validUntil.getTime()
    leaves.set(host, { chain, renewAt: leaf.notAfter.getTime() - (isLast ? 0 : RENEW_MS) })
    return chain
  }
  return { certificate: chainEnd, fingerprint: certificate.fingerprint256, validUntil, issueLeaf: findLeaf }
}

function checkPair(pair: KeyedCertificate, time: number): { certificate: X509Certificate; key: KeyObject } {
  const certificate = parse('certificate', () => new X509Certificate(pair.certificate))
  const key = parse('key', () => createPrivateKey(pair.key))
  checkKey(key)
  if (!certificate.ca) throw authorityUnusable('its certificate is not one of an authority')
  if (!certificate.checkPrivateKey(key)) throw authorityUnusable('its key does not belong to its certificate')
  if (!certificate.checkIssued(certificate) || !certificate.verify(certificate.publicKey)) {
    throw authorityUnusable('its certificate is not signed with its own key')
  }
  if (time > Date.parse(certificate.validTo)) {
    throw authorityUnusable(
      `its certificate ended on ${certificate.validTo}; move both files away to get a new authority, which clients must then trust`,
    )
  }
  if (time < Date.parse(certificate.validFrom)) {
    throw authorityUnusable(`its certificate begins on ${certificate.validFrom}; check the clock of this machine`)
  }
  return { certificate, key }
}

/** Clients accept no shorter RSA keys. */
const MIN_RSA_BITS = 2048

function checkKey(key: KeyObject): void {
  const { asymmetricKeyType: type, asymmetricKeyDetails: { modulusLength = 0 } = {} } = key
  if (type !== 'ec' && type !== 'rsa') throw authorityUnusable('its key is neither an elliptic-curve nor an RSA key')
  if (type === 'rsa' && modulusLength < MIN_RSA_BITS) {
    throw authorityUnusable(`its RSA key has ${modulusLength} bits; clients ask for ${MIN_RSA_BITS} or more`)
  }
}

function parse<Value>(what: string, read: () => Value): Value {
  try {
    return read()
  } catch (error) {
    throw authorityUnusable(`its ${what} cannot be read; restore it, or move both files away`, error)
  }
}

function toIssuer(certificate: X509Certificate, key: KeyObject): Issuer {
  return parse('certificate', () => readIssuer(certificate, key))
}
