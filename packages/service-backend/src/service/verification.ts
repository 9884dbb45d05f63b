import { type Fields, toNumber, toText } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'

/** Two faces or two voices to compare, as base64. */
export interface VerifyInput {
  readonly first: string
  readonly second: string
  /** Cosine distance; 0 means the model's own. */
  readonly threshold: number
  readonly antiSpoofing: boolean
}

/** Result of a comparison. */
export interface Verification {
  readonly verified: boolean
  readonly distance: number
  readonly threshold: number
  /** 0..100 */
  readonly confidence: number
  readonly model: string
  readonly processingTimeMs: number
}

/** Requests a comparison of two inputs. */
export async function requestVerification(
  transport: ServiceTransport,
  asked: VerifyInput & { readonly path: string; readonly names: readonly [string, string] },
  call: ServiceCall,
): Promise<Fields> {
  const { path, names, first, second, threshold, antiSpoofing } = asked
  const pair = { [names[0]]: first, [names[1]]: second }
  const rest = dropZeros({ threshold, anti_spoofing: antiSpoofing })
  const reply = await transport.ask(path, { json: { model: transport.target.model, ...pair, ...rest } }, call)
  if (typeof reply.verified !== 'boolean') throw undecodable(path)
  return reply
}

/** Reads the result of a comparison. */
export function readVerification(reply: Fields): Verification {
  return {
    verified: reply.verified === true,
    distance: toNumber(reply.distance) ?? 0,
    threshold: toNumber(reply.threshold) ?? 0,
    confidence: toNumber(reply.confidence) ?? 0,
    model: toText(reply.model) ?? '',
    processingTimeMs: toNumber(reply.processing_time_ms) ?? 0,
  }
}
