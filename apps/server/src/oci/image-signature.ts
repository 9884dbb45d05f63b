import { hash } from 'node:crypto'

/** A signature of an image, as a registry has it. */
export interface ImageSignature {
  /** A Sigstore bundle as JSON: signature, certificate and log entry. */
  readonly bundle: unknown
  /** The signed bytes, where the bundle does not hold them. */
  readonly payload?: Uint8Array | undefined
}

type Fields = Readonly<Record<string, unknown>>

/** Type of the layers of the older form, which holds everything but the payload in annotations. */
export const SIMPLE_SIGNING_TYPE = 'application/vnd.dev.cosign.simplesigning.v1+json'

const SIGNATURE = 'dev.cosignproject.cosign/signature'
const CERTIFICATE = 'dev.sigstore.cosign/certificate'
const LOG_ENTRY = 'dev.sigstore.cosign/bundle'

/**
 * The bundle of a signature of the older form; undefined where it has no certificate or no log entry, such as one of a
 * key.
 *
 * @param annotations of the layer that holds the payload
 */
export function toImageSignature(annotations: Fields, payload: Uint8Array): ImageSignature | undefined {
  const [signature, pem, entry] = [SIGNATURE, CERTIFICATE, LOG_ENTRY].map((name) => annotations[name])
  if (typeof signature !== 'string' || typeof pem !== 'string' || typeof entry !== 'string') return undefined
  const certificate = /-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----/.exec(pem)?.[1]
  const logged = readLogEntry(entry)
  if (certificate === undefined || logged === undefined) return undefined
  const { signedEntryTimestamp, body, integratedTime, logIndex, logId, kind, version } = logged
  const bundle = {
    mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.1',
    verificationMaterial: {
      x509CertificateChain: { certificates: [{ rawBytes: certificate.replaceAll(/\s/g, '') }] },
      tlogEntries: [
        {
          logIndex,
          integratedTime,
          logId: { keyId: logId },
          canonicalizedBody: body,
          kindVersion: { kind, version },
          inclusionPromise: { signedEntryTimestamp },
        },
      ],
    },
    messageSignature: {
      messageDigest: { algorithm: 'SHA2_256', digest: hash('sha256', payload, 'base64') },
      signature,
    },
  }
  return { bundle, payload }
}

interface LogEntry {
  readonly signedEntryTimestamp: string
  readonly body: string
  readonly integratedTime: string
  readonly logIndex: string
  /** Base64. */
  readonly logId: string
  readonly kind: string
  readonly version: string
}

function readLogEntry(text: string): LogEntry | undefined {
  const { SignedEntryTimestamp: signedEntryTimestamp, Payload } = parseFields(text)
  const { body, integratedTime, logIndex, logID } = toFields(Payload)
  if (typeof signedEntryTimestamp !== 'string' || typeof body !== 'string' || typeof logID !== 'string')
    return undefined
  if (!Number.isSafeInteger(integratedTime) || !Number.isSafeInteger(logIndex)) return undefined
  const { kind, apiVersion } = parseFields(Buffer.from(body, 'base64').toString('utf8'))
  if (typeof kind !== 'string' || typeof apiVersion !== 'string') return undefined
  const logId = Buffer.from(logID, 'hex').toString('base64')
  const numbers = { integratedTime: String(integratedTime), logIndex: String(logIndex) }
  return { signedEntryTimestamp, body, ...numbers, logId, kind, version: apiVersion }
}

/** The digest that a payload of the older form names. @throws the reason why it is not a payload of an image */
export function readSignedDigest(payload: Uint8Array): unknown {
  const { critical } = parseFields(new TextDecoder('utf-8', { fatal: true }).decode(payload))
  const { type, image } = toFields(critical)
  if (type !== 'cosign container image signature') throw new Error('it signs no image')
  return toFields(image)['docker-manifest-digest']
}

function parseFields(text: string): Fields {
  try {
    return toFields(JSON.parse(text))
  } catch {
    return {}
  }
}

function toFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {}
}
