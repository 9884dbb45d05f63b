import { SvcError } from '@svc/errors'
import { RE2JS } from 're2js'

/** The signatures that a gallery asks for on its images. */
export interface SignaturePolicy {
  /** Whether the issuer of the signer's identity is the one that is asked for. */
  acceptsIssuer(issuer: string): boolean
  /** Whether the signer is the one that is asked for. */
  acceptsIdentity(identity: string): boolean
  /** Signatures before this time are refused. Milliseconds since the epoch. */
  readonly notBefore: number | undefined
}

/**
 * Reads the `verification` of a gallery. Issuer and identity are both required, each as a text or as an expression (RE2)
 * that must match the whole name.
 *
 * @throws {SvcError} `unprocessable`, code `verification_invalid`
 */
export function readSignaturePolicy(verification: Readonly<Record<string, unknown>>): SignaturePolicy {
  const { not_before: notBefore } = verification
  const time = typeof notBefore === 'string' && notBefore !== '' ? Date.parse(notBefore) : undefined
  if (time !== undefined && Number.isNaN(time)) throw invalid('not_before is not a time')
  return {
    acceptsIssuer: readTest(verification, 'issuer'),
    acceptsIdentity: readTest(verification, 'identity'),
    notBefore: time,
  }
}

function readTest(
  verification: Readonly<Record<string, unknown>>,
  key: 'issuer' | 'identity',
): (name: string) => boolean {
  const [exact, expression] = [verification[key], verification[`${key}_regex`]]
  const hasExact = typeof exact === 'string' && exact !== ''
  const hasExpression = typeof expression === 'string' && expression !== ''
  if (hasExact && !hasExpression) return (name) => name === exact
  if (hasExact || !hasExpression) throw invalid(`it needs either ${key} or ${key}_regex`)
  try {
    const compiled = RE2JS.compile(expression)
    return (name) => compiled.matches(name)
  } catch (cause) {
    throw invalid(`${key}_regex is not an expression`, cause)
  }
}

function invalid(reason: string, cause?: unknown): SvcError {
  return new SvcError('unprocessable', `the verification of the gallery cannot be used: ${reason}`, {
    code: 'verification_invalid',
    ...(cause === undefined ? {} : { cause }),
  })
}
