import { createHash, generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fulcioHandler, initializeCA, initializeCTLog, initializeTLog, rekorHandler } from '@sigstore/mock'
import { HashAlgorithm, PublicKeyDetails, TrustedRoot } from '@sigstore/protobuf-specs'
import { DSSEBundleBuilder, FulcioSigner, MessageSignatureBundleBuilder, RekorWitness } from '@sigstore/sign'
import { startHttpServer } from '@svc/test-kit'

/** Facts of a signature. */
export interface SignatureFacts {
  /** Digest of the image that the statement names. */
  readonly digest: string
  readonly issuer?: string | undefined
  readonly identity?: string | undefined
  readonly predicateType?: string | undefined
}

/** Blobs of a signature of the older form in a registry. */
export interface OlderSignature {
  readonly payload: Buffer
  readonly annotations: Readonly<Record<string, string>>
}

/** A certificate authority and a transparency log of our own, and signers that use them. */
export interface TestSigner extends AsyncDisposable {
  /** The trust root of both, as a file holds it. */
  readonly trustedRoot: string
  /** A signature bundle, as JSON. */
  sign(facts: SignatureFacts): Promise<string>
  /** A signature of the older form. */
  signOlder(facts: SignatureFacts): Promise<OlderSignature>
}

export const ISSUER = 'https://issuer.example'
export const IDENTITY = 'https://code.example/builder'

const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** Starts authority and log. */
export async function startSigner(): Promise<TestSigner> {
  const logKeys = keyPair()
  const ctLog = await initializeCTLog(keyPair())
  const authority = await initializeCA(keyPair(), ctLog)
  const log = await initializeTLog('https://log.example', logKeys)
  const handlers = [fulcioHandler(authority), rekorHandler(log)]
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const handler = handlers.find(({ path }) => path === request.url)
    const reply = await handler?.fn(Buffer.concat(pieces).toString())
    response.writeHead(reply?.statusCode ?? 404, { 'content-type': 'application/json' }).end(reply?.response)
  }
  const server = await startHttpServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const createSigner = (issuer: string, identity: string): FulcioSigner => {
    const claims = { iss: issuer, sub: identity, aud: 'sigstore' }
    const token = ['{"alg":"none"}', JSON.stringify(claims), 'x'].map((part) => Buffer.from(part).toString('base64url'))
    return new FulcioSigner({
      fulcioBaseURL: server.origin,
      identityProvider: { getToken: async () => token.join('.') },
    })
  }
  return {
    trustedRoot: JSON.stringify(
      toTrustedRoot(toBuffer(authority.rootCertificate), log.publicKey, {
        publicKey: toBuffer(ctLog.publicKey),
        logID: toBuffer(ctLog.logID),
      }),
    ),
    async sign({
      digest,
      issuer = ISSUER,
      identity = IDENTITY,
      predicateType = 'https://sigstore.dev/cosign/sign/v1',
    }) {
      const builder = new DSSEBundleBuilder({
        signer: createSigner(issuer, identity),
        witnesses: [new RekorWitness({ rekorBaseURL: server.origin, entryType: 'intoto' })],
      })
      const statement = {
        _type: 'https://in-toto.io/Statement/v1',
        subject: [{ name: 'image', digest: { sha256: digest.slice('sha256:'.length) } }],
        predicateType,
        predicate: {},
      }
      const { bundleToJSON } = await import('@sigstore/bundle')
      const data = Buffer.from(JSON.stringify(statement))
      return JSON.stringify(bundleToJSON(await builder.create({ data, type: 'application/vnd.in-toto+json' })))
    },
    async signOlder({ digest, issuer = ISSUER, identity = IDENTITY }) {
      const payload = Buffer.from(
        JSON.stringify({
          critical: {
            identity: { 'docker-reference': 'o/b' },
            image: { 'docker-manifest-digest': digest },
            type: 'cosign container image signature',
          },
          optional: null,
        }),
      )
      const builder = new MessageSignatureBundleBuilder({
        signer: createSigner(issuer, identity),
        witnesses: [new RekorWitness({ rekorBaseURL: server.origin })],
      })
      const { verificationMaterial, content } = await builder.create({ data: payload })
      const [entry] = verificationMaterial.tlogEntries
      if (content.$case !== 'messageSignature' || entry === undefined) throw new Error('it is another kind of bundle')
      if (verificationMaterial.content.$case !== 'x509CertificateChain') throw new Error('it has no certificate')
      const [leaf] = verificationMaterial.content.x509CertificateChain.certificates
      const certificate = leaf?.rawBytes.toString('base64') ?? ''
      const logged = {
        SignedEntryTimestamp: entry.inclusionPromise?.signedEntryTimestamp.toString('base64'),
        Payload: {
          body: entry.canonicalizedBody.toString('base64'),
          integratedTime: Number(entry.integratedTime),
          logIndex: Number(entry.logIndex),
          logID: entry.logId?.keyId.toString('hex'),
        },
      }
      return {
        payload,
        annotations: {
          'dev.cosignproject.cosign/signature': content.messageSignature.signature.toString('base64'),
          'dev.sigstore.cosign/certificate': `-----BEGIN CERTIFICATE-----\n${certificate}\n-----END CERTIFICATE-----\n`,
          'dev.sigstore.cosign/bundle': JSON.stringify(logged),
        },
      }
    },
    [Symbol.asyncDispose]: server.close,
  }
}

function toBuffer({ buffer, byteOffset, byteLength }: ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength)
}

function toTrustedRoot(
  rootCertificate: Buffer,
  logKey: Buffer,
  ctLog: { readonly publicKey: Buffer; readonly logID: Buffer },
): unknown {
  const toLog = (publicKey: Buffer, keyId: Buffer) => ({
    baseUrl: 'https://log.example',
    hashAlgorithm: HashAlgorithm.SHA2_256,
    publicKey: {
      rawBytes: publicKey,
      keyDetails: PublicKeyDetails.PKIX_ECDSA_P256_SHA_256,
      validFor: { start: new Date(0) },
    },
    logId: { keyId },
    checkpointKeyId: undefined,
    operator: 'test',
  })
  return TrustedRoot.toJSON({
    mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
    tlogs: [toLog(logKey, createHash('sha256').update(logKey).digest())],
    ctlogs: [toLog(ctLog.publicKey, ctLog.logID)],
    certificateAuthorities: [
      {
        subject: { commonName: 'sigstore', organization: 'sigstore.mock' },
        uri: 'https://authority.example',
        certChain: { certificates: [{ rawBytes: rootCertificate }] },
        validFor: { start: new Date(0) },
        operator: 'test',
      },
    ],
    timestampAuthorities: [],
  })
}
