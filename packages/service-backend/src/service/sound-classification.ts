import { toCount, toFields, toNumber, toText } from '@svc/proxy/replies'
import { toAudioForm } from './audio-form.ts'
import type { FormFile } from './multipart.ts'
import { undecodable } from './status.ts'
import { dropZeros, type ServiceCall, type ServiceTransport } from './transport.ts'

/** A classified sound. */
export interface ClassifiedSound {
  readonly label: string
  /** 0..1 */
  readonly score: number
  readonly index: number
}

/** Classifies the sounds of a file, most likely first. */
export async function classifySound(
  transport: ServiceTransport,
  input: { readonly file: FormFile; readonly topK: number; readonly threshold: number },
  call: ServiceCall,
): Promise<readonly ClassifiedSound[]> {
  const path = '/v1/audio/classification'
  const fields = dropZeros({ top_k: input.topK, threshold: input.threshold })
  const reply = await transport.ask(path, { form: toAudioForm(transport, input.file, fields) }, call)
  if (!Array.isArray(reply.detections)) throw undecodable(path)
  return reply.detections.map(toFields).map(({ label, score, index }) => ({
    label: toText(label) ?? '',
    score: toNumber(score) ?? 0,
    index: toCount(index) ?? 0,
  }))
}
