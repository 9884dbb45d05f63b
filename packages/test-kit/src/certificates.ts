import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIP } from 'node:net'

/** A certificate with its private key, both PEM. */
export interface KeyedCertificate {
  readonly cert: string
  readonly key: string
}

/** An authority that lives as long as the test. */
export interface TestCa {
  /** Its certificate, PEM, for a client to trust. */
  readonly cert: string
  /** Issues a certificate of a server or a client, for names and IP addresses, valid for a day around now. */
  issue(hosts: readonly [string, ...string[]]): KeyedCertificate
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** A new authority (ECDSA P-256), made without any tool. */
export function createTestCa(commonName = 'svc test authority'): TestCa {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const issuer = distinguishedName(commonName)
  const cert = certificate({ issuer, subject: issuer, publicKey, signingKey: privateKey }, [
    extension(OID.basicConstraints, true, sequence(TRUE)),
    extension(OID.keyUsage, true, bits(0b0000_0110, 1)),
    extension(OID.subjectKeyIdentifier, false, octets(keyIdentifier(publicKey))),
  ])
  return {
    cert,
    issue(hosts) {
      const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' })
      const subject = distinguishedName(hosts[0])
      return {
        cert: certificate({ issuer, subject, publicKey: leaf.publicKey, signingKey: privateKey }, [
          extension(OID.subjectAltName, false, sequence(...hosts.map(generalName))),
          extension(OID.extendedKeyUsage, false, sequence(OID.serverAuth, OID.clientAuth)),
          extension(OID.basicConstraints, true, sequence()),
          extension(OID.keyUsage, true, bits(0b1000_0000, 7)),
          extension(OID.authorityKeyIdentifier, false, sequence(tagged(0x80, keyIdentifier(publicKey)))),
        ]),
        key: leaf.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
      }
    },
  }
}

// DER encoding, the part that a certificate needs (X.690; RFC 5280).

function tagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents)
  const size = content.length
  if (size < 0x80) return Buffer.concat([Buffer.of(tag, size), content])
  const length = size < 0x100 ? Buffer.of(0x81, size) : Buffer.of(0x82, size >> 8, size & 0xff)
  return Buffer.concat([Buffer.of(tag), length, content])
}

const sequence = (...contents: readonly Uint8Array[]): Buffer => tagged(0x30, ...contents)
const integer = (bytes: Uint8Array): Buffer => tagged(0x02, bytes)
const octets = (bytes: Uint8Array): Buffer => tagged(0x04, bytes)
const bits = (byte: number, unused: number): Buffer => tagged(0x03, Buffer.of(unused, byte))
const oid = (hex: string): Buffer => tagged(0x06, Buffer.from(hex, 'hex'))
const TRUE = tagged(0x01, Buffer.of(0xff))

const OID = {
  commonName: oid('550403'),
  ecdsaWithSha256: oid('2a8648ce3d040302'),
  subjectKeyIdentifier: oid('551d0e'),
  keyUsage: oid('551d0f'),
  subjectAltName: oid('551d11'),
  basicConstraints: oid('551d13'),
  authorityKeyIdentifier: oid('551d23'),
  extendedKeyUsage: oid('551d25'),
  serverAuth: oid('2b06010505070301'),
  clientAuth: oid('2b06010505070302'),
}

interface Identity {
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly signingKey: KeyObject
}

function certificate({ issuer, subject, publicKey, signingKey }: Identity, extensions: readonly Buffer[]): string {
  const algorithm = sequence(OID.ecdsaWithSha256)
  const now = Date.now()
  const body = sequence(
    tagged(0xa0, integer(Buffer.of(2))),
    integer(serialNumber()),
    algorithm,
    issuer,
    sequence(utcTime(now - HOUR_MS), utcTime(now + DAY_MS)),
    subject,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  )
  const signature = tagged(0x03, Buffer.of(0), sign('sha256', body, signingKey))
  const text = sequence(body, algorithm, signature)
    .toString('base64')
    .replace(/.{64}(?=.)/g, '$&\n')
  return `-----BEGIN CERTIFICATE-----\n${text}\n-----END CERTIFICATE-----\n`
}

function distinguishedName(commonName: string): Buffer {
  return sequence(tagged(0x31, sequence(OID.commonName, tagged(0x0c, Buffer.from(commonName)))))
}

function extension(id: Buffer, isCritical: boolean, value: Buffer): Buffer {
  return sequence(id, ...(isCritical ? [TRUE] : []), octets(value))
}

function generalName(host: string): Buffer {
  if (isIP(host) === 6) throw new Error('IPv6 addresses are not needed here')
  return isIP(host) === 4 ? tagged(0x87, Buffer.from(host.split('.').map(Number))) : tagged(0x82, Buffer.from(host))
}

/** Positive, not zero, 128 bits. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x7f) | 0x01
  return bytes
}

function keyIdentifier(publicKey: KeyObject): Buffer {
  const point = publicKey.export({ type: 'spki', format: 'der' }).subarray(-65)
  return createHash('sha1').update(point).digest()
}

function utcTime(time: number): Buffer {
  const digits = new Date(time).toISOString().replace(/[-:T]/g, '').slice(2, 14)
  return tagged(0x17, Buffer.from(`${digits}Z`))
}
