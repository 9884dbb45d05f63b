import { toFields, toText } from '@svc/proxy/replies'
import { undecodable } from './status.ts'
import { readNumbers } from './text.ts'
import { readTimeRange, type TimeRange } from './time-range.ts'
import { readTraits, type Traits } from './traits.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'
import { readVerification, requestVerification, type Verification, type VerifyInput } from './verification.ts'

/** Attributes of a voice in a range of seconds. */
export interface AnalyzedVoice extends Traits, TimeRange {}

/** Compares two voices. */
export async function verifyVoices(
  transport: ServiceTransport,
  input: VerifyInput,
  call: ServiceCall,
): Promise<Verification> {
  const asked = { path: '/v1/voice/verify', names: ['audio1', 'audio2'], ...input } as const
  return readVerification(await requestVerification(transport, asked, call))
}

/** Analyzes a voice. @param input.actions any of age, gender, emotion; empty means all */
export async function analyzeVoice(
  transport: ServiceTransport,
  input: { readonly audio: string; readonly actions: readonly string[] },
  call: ServiceCall,
): Promise<readonly AnalyzedVoice[]> {
  const path = '/v1/voice/analyze'
  const rest = dropZeros({ actions: input.actions })
  const json = { model: transport.target.model, audio: input.audio, ...rest }
  const reply = await transport.ask(path, { json }, call)
  if (!Array.isArray(reply.segments)) throw undecodable(path)
  return reply.segments.map(toFields).map((part) => ({ ...readTraits(part), ...readTimeRange(part) }))
}

/** Computes the vector of a voice. */
export async function embedVoice(
  transport: ServiceTransport,
  audio: string,
  call: ServiceCall,
): Promise<{ readonly embedding: readonly number[]; readonly model: string }> {
  const path = '/v1/voice/embed'
  const reply = await transport.ask(path, { json: { model: transport.target.model, audio } }, call)
  if (!Array.isArray(reply.embedding)) throw undecodable(path)
  return { embedding: readNumbers(reply.embedding, path), model: toText(reply.model) ?? '' }
}
