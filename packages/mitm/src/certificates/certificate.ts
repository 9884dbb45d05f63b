import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, type X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import {
  bitString,
  DER_NULL,
  DER_TRUE,
  encodeDer,
  encodeTime,
  integer,
  objectIdentifier,
  octetString,
  readDer,
  sequence,
  utf8String,
} from './der.ts'

/** A certificate with its private key. */
export interface KeyedCertificate {
  /** PEM. */
  readonly certificate: string
  /** PEM, PKCS#8. */
  readonly key: string
}

/** The issuer of leaf certificates, as far as its certificates repeat it. */
export interface Issuer {
  /** Its name as its own certificate encodes it. */
  readonly subject: Buffer
  readonly keyIdentifier: Buffer
  readonly privateKey: KeyObject
}

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const AUTHORITY_YEARS = 10
const LEAF_DAYS = 30

const OID = {
  commonName: objectIdentifier('2.5.4.3'),
  organization: objectIdentifier('2.5.4.10'),
  ecdsaWithSha256: objectIdentifier('1.2.840.10045.4.3.2'),
  rsaWithSha256: objectIdentifier('1.2.840.113549.1.1.11'),
  subjectKeyIdentifier: objectIdentifier('2.5.29.14'),
  keyUsage: objectIdentifier('2.5.29.15'),
  subjectAltName: objectIdentifier('2.5.29.17'),
  basicConstraints: objectIdentifier('2.5.29.19'),
  authorityKeyIdentifier: objectIdentifier('2.5.29.35'),
  extendedKeyUsage: objectIdentifier('2.5.29.37'),
  serverAuth: objectIdentifier('1.3.6.1.5.5.7.3.1'),
}

/** Bits of keyUsage. The authority has digitalSignature, keyCertSign and cRLSign; a leaf has only digitalSignature. */
const AUTHORITY_USAGE = bitString(Buffer.of(0b1000_0110), 1)
const LEAF_USAGE = bitString(Buffer.of(0b1000_0000), 7)

/** Makes an authority of its own: ECDSA P-256, valid for ten years from an hour ago. */
export function makeAuthorityCertificate(organization: string, now: Date): KeyedCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = sequence(
    encodeDer(0x31, sequence(OID.organization, utf8String(organization))),
    encodeDer(0x31, sequence(OID.commonName, utf8String(`${organization} MITM Proxy CA`))),
  )
  const notAfter = new Date(now)
  notAfter.setUTCFullYear(notAfter.getUTCFullYear() + AUTHORITY_YEARS)
  const identifier = hashKey(publicKey)
  const certificate = signCertificate({
    issuer: subject,
    subject,
    publicKey,
    signingKey: privateKey,
    notBefore: new Date(now.getTime() - HOUR_MS),
    notAfter,
    extensions: [
      extension(OID.basicConstraints, true, sequence(DER_TRUE, integer(Buffer.of(0)))),
      extension(OID.keyUsage, true, AUTHORITY_USAGE),
      extension(OID.subjectKeyIdentifier, false, octetString(identifier)),
      extension(OID.authorityKeyIdentifier, false, sequence(encodeDer(0x80, identifier))),
    ],
  })
  return { certificate, key: exportKey(privateKey) }
}

/** Reads the fields of an authority that its leaf certificates repeat. */
export function readIssuer(certificate: X509Certificate, privateKey: KeyObject): Issuer {
  const [outer] = readDer(certificate.raw)
  const [body] = readDer(outer?.content ?? Buffer.alloc(0))
  // [0] version, serial number, signature, issuer, validity, subject
  const fields = readDer(body?.content ?? Buffer.alloc(0))
  const subject = fields[5]?.bytes
  if (subject === undefined || fields[0]?.tag !== 0xa0) throw new RangeError('not a certificate of version 3')
  return { subject, privateKey, keyIdentifier: findKeyIdentifier(fields) ?? hashKey(certificate.publicKey) }
}

function findKeyIdentifier(fields: ReturnType<typeof readDer>): Buffer | undefined {
  const wrapped = fields.find(({ tag }) => tag === 0xa3)?.content
  if (wrapped === undefined) return undefined
  for (const { content } of readDer(readDer(wrapped)[0]?.content ?? Buffer.alloc(0))) {
    const parts = readDer(content)
    if (parts[0]?.bytes.equals(OID.subjectKeyIdentifier) !== true) continue
    return readDer(parts.at(-1)?.content ?? Buffer.alloc(0))[0]?.content
  }
  return undefined
}

/**
 * Issues a leaf certificate for one host: only subjectAltName has the name. It ends no later than the authority.
 *
 * @param until end of the authority
 */
export function issueLeaf(
  issuer: Issuer,
  { host, now, until }: { host: string; now: Date; until: Date },
): KeyedCertificate & { readonly notAfter: Date } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const notAfter = new Date(Math.min(now.getTime() + LEAF_DAYS * DAY_MS, until.getTime()))
  const certificate = signCertificate({
    issuer: issuer.subject,
    subject: sequence(),
    publicKey,
    signingKey: issuer.privateKey,
    notBefore: new Date(now.getTime() - HOUR_MS),
    notAfter,
    extensions: [
      // Critical because the subject is empty (RFC 5280, 4.2.1.6).
      extension(OID.subjectAltName, true, sequence(encodeGeneralName(host))),
      extension(OID.extendedKeyUsage, false, sequence(OID.serverAuth)),
      extension(OID.basicConstraints, true, sequence()),
      extension(OID.keyUsage, true, LEAF_USAGE),
      extension(OID.subjectKeyIdentifier, false, octetString(hashKey(publicKey))),
      extension(OID.authorityKeyIdentifier, false, sequence(encodeDer(0x80, issuer.keyIdentifier))),
    ],
  })
  return { certificate, key: exportKey(privateKey), notAfter }
}

interface CertificateContent {
  readonly issuer: Buffer
  readonly subject: Buffer
  readonly publicKey: KeyObject
  readonly signingKey: KeyObject
  readonly notBefore: Date
  readonly notAfter: Date
  readonly extensions: readonly Buffer[]
}

function signCertificate(content: CertificateContent): string {
  const algorithm = isRsa(content.signingKey) ? sequence(OID.rsaWithSha256, DER_NULL) : sequence(OID.ecdsaWithSha256)
  const body = sequence(
    encodeDer(0xa0, integer(Buffer.of(2))),
    integer(makeSerialNumber()),
    algorithm,
    content.issuer,
    sequence(encodeTime(content.notBefore), encodeTime(content.notAfter)),
    content.subject,
    content.publicKey.export({ type: 'spki', format: 'der' }),
    encodeDer(0xa3, sequence(...content.extensions)),
  )
  const signature = bitString(sign('sha256', body, content.signingKey))
  return toPem(sequence(body, algorithm, signature))
}

function toPem(der: Buffer): string {
  const lines = der.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}

function exportKey(key: KeyObject): string {
  return key.export({ type: 'pkcs8', format: 'pem' }).toString()
}

function extension(id: Buffer, isCritical: boolean, value: Buffer): Buffer {
  return sequence(id, ...(isCritical ? [DER_TRUE] : []), octetString(value))
}

function encodeGeneralName(host: string): Buffer {
  const kind = isIP(host)
  return kind === 0 ? encodeDer(0x82, Buffer.from(host)) : encodeDer(0x87, toAddressBytes(host, kind))
}

function toAddressBytes(address: string, kind: number): Buffer {
  if (kind === 4) return Buffer.from(address.split('.').map(Number))
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter((group) => group !== '')
  const right = (tail ?? '').split(':').filter((group) => group !== '')
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0')
  return Buffer.from([...left, ...zeros, ...right].map((group) => group.padStart(4, '0')).join(''), 'hex')
}

/** 127 random bits below a bit that is set, so that the number is positive and its first byte is not zero. */
function makeSerialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}

function isRsa(key: KeyObject): boolean {
  return key.asymmetricKeyType === 'rsa'
}

/** The identifier of a key (RFC 5280, 4.2.1.2): the hash of its bits without their algorithm. */
function hashKey(publicKey: KeyObject): Buffer {
  const [outer] = readDer(publicKey.export({ type: 'spki', format: 'der' }))
  const bits = readDer(outer?.content ?? Buffer.alloc(0))[1]?.content ?? Buffer.alloc(0)
  // The first byte counts unused bits.
  return createHash('sha1').update(bits.subarray(1)).digest()
}
