import { undecodable } from './status.ts'
import { readTimeRange, type TimeRange } from './time-range.ts'
import type { ServiceCall, ServiceTransport } from './transport.ts'

/** Finds the ranges with speech in mono samples at 16 kHz. */
export async function detectSpeech(
  transport: ServiceTransport,
  audio: readonly number[],
  call: ServiceCall,
): Promise<readonly TimeRange[]> {
  const path = '/v1/vad'
  const reply = await transport.ask(path, { json: { model: transport.target.model, audio } }, call)
  if (!Array.isArray(reply.segments)) throw undecodable(path)
  return reply.segments.map(readTimeRange)
}
