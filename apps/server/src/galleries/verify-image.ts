import { readFile } from 'node:fs/promises'
import type { TrustedRoot } from '@sigstore/protobuf-specs'
import type { Signer } from '@sigstore/verify'
import { SvcError } from '@svc/errors'
import { StartRefused } from '../config/start-refused.ts'
import { type ImageSignature, readSignedDigest } from '../oci/image-signature.ts'
import type { SignaturePolicy } from './signature-policy.ts'
import { isFields } from './to-entry.ts'

/** Checks the signatures of images against the authorities of a trust root. */
export interface SignatureVerifier {
  /**
   * Accepts an image that one of the signatures signs as the policy asks.
   *
   * @param digest of the image: `sha256:` and 64 digits
   * @throws {SvcError} `forbidden`, code `signature_refused`, with the reason of each signature
   */
  verify(digest: string, signatures: readonly ImageSignature[], policy: SignaturePolicy): Promise<void>
}

const STATEMENT_TYPE = 'application/vnd.in-toto+json'
/** Statements that say where an image comes from; an attestation about something else is not a signature. */
const PREDICATES: ReadonlySet<unknown> = new Set([
  'https://sigstore.dev/cosign/sign/v1',
  'https://slsa.dev/provenance/v1',
  'https://slsa.dev/provenance/v0.2',
])

/** Reads the trust root of a file. @throws {StartRefused} for a file that is not a trust root */
export async function openSignatureVerifier(path: string): Promise<SignatureVerifier> {
  const refuse = (reason: string, cause: unknown): StartRefused =>
    new StartRefused(`--sigstore-trusted-root: ${reason}`, { exitCode: 78, cause })
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw refuse(`${path} cannot be read`, error)
  })
  try {
    const { TrustedRoot: reader } = await import('@sigstore/protobuf-specs')
    return await createSignatureVerifier(reader.fromJSON(JSON.parse(text)))
  } catch (error) {
    throw refuse(`${path} is not a trust root`, error)
  }
}

/** A verifier that trusts the authorities of a root. */
async function createSignatureVerifier(root: TrustedRoot): Promise<SignatureVerifier> {
  // Loaded here: most servers check no signatures.
  const [{ bundleFromJSON, isBundleWithDsseEnvelope }, { toSignedEntity, toTrustMaterial, Verifier }] =
    await Promise.all([import('@sigstore/bundle'), import('@sigstore/verify')])
  const verifier = new Verifier(toTrustMaterial(root))

  /** @throws the reason why it is not a signature of the image */
  function check(digest: string, { bundle: value, payload }: ImageSignature, policy: SignaturePolicy): void {
    const bundle = bundleFromJSON(value)
    if (isBundleWithDsseEnvelope(bundle)) {
      checkSigner(verifier.verify(toSignedEntity(bundle)), policy)
      const { payload: statement, payloadType } = bundle.content.dsseEnvelope
      if (payloadType !== STATEMENT_TYPE) throw new Error('it signs no statement')
      checkStatement(statement, digest)
    } else {
      if (payload === undefined) throw new Error('it signs no statement')
      checkSigner(verifier.verify(toSignedEntity(bundle, Buffer.from(payload))), policy)
      if (readSignedDigest(payload) !== digest) throw new Error('it signs another image')
    }
    const times = bundle.verificationMaterial.tlogEntries.map(({ integratedTime }) => Number(integratedTime) * 1000)
    if (policy.notBefore !== undefined && !(Math.min(...times) >= policy.notBefore)) {
      throw new Error('it was made before the time that the gallery names')
    }
  }

  return {
    async verify(digest, signatures, policy) {
      const reasons: string[] = []
      for (const signature of signatures) {
        try {
          check(digest, signature, policy)
          return
        } catch (error) {
          reasons.push(error instanceof Error ? error.message : String(error))
        }
      }
      const reason = reasons.length === 0 ? 'it has no signature' : reasons.slice(0, 3).join('; ')
      throw new SvcError('forbidden', `the image ${digest} is not signed as its gallery asks: ${reason}`, {
        code: 'signature_refused',
      })
    },
  }
}

function checkStatement(payload: Uint8Array, digest: string): void {
  const statement: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload))
  if (!isFields(statement) || !PREDICATES.has(statement.predicateType)) throw new Error('it says nothing of an origin')
  const subjects: readonly unknown[] = Array.isArray(statement.subject) ? statement.subject : []
  const hex = digest.slice('sha256:'.length)
  const names = subjects.some(
    (subject) => isFields(subject) && isFields(subject.digest) && subject.digest.sha256 === hex,
  )
  if (!names) throw new Error('it signs another image')
}

function checkSigner({ identity }: Signer, policy: SignaturePolicy): void {
  const { subjectAlternativeName = '', extensions } = identity ?? {}
  const issuer = extensions?.issuer ?? ''
  if (!policy.acceptsIssuer(issuer)) throw new Error(`its issuer is ${JSON.stringify(issuer)}`)
  if (!policy.acceptsIdentity(subjectAlternativeName)) {
    throw new Error(`its signer is ${JSON.stringify(subjectAlternativeName)}`)
  }
}
