import { api, unwrap } from '../api-client.ts'
import { ApiError } from '../api-error.ts'
import type { components } from '../schema.gen.ts'
import type { Transcript } from './transcript.ts'

/** A request to speak a text. */
export type SpeechBody = components['schemas']['SpeechRequest']

/** The sound of a text, with its media type. @throws ApiError */
export function speak(body: SpeechBody, signal: AbortSignal): Promise<Blob> {
  return unwrap(api.POST('/v1/audio/speech', { body, parseAs: 'blob', signal })) as Promise<Blob>
}

/** The sound of a text while it is made. @throws ApiError before the first bytes */
export function speakLive(body: SpeechBody, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const live = { ...body, response_format: 'wav' as const, stream: true }
  return unwrap(api.POST('/v1/audio/speech', { body: live, parseAs: 'stream', signal })) as Promise<
    ReadableStream<Uint8Array>
  >
}

/** A recording to write down, and how. */
export interface TranscriptionInput {
  readonly model: string
  readonly file: File
  /** A code of ISO 639; empty for any. */
  readonly language: string
  readonly prompt: string
  /** Whether the transcript is in English. */
  readonly translate: boolean
}

/** Writes down a recording, with its segments and words. @throws ApiError */
export async function transcribe(input: TranscriptionInput, signal: AbortSignal): Promise<Transcript> {
  const fields = {
    model: input.model,
    ...(input.language !== '' && { language: input.language }),
    ...(input.prompt.trim() !== '' && { prompt: input.prompt }),
    ...(input.translate && { translate: 'true' }),
    response_format: 'verbose_json',
  } as const
  const form = toForm(fields)
  for (const granularity of ['segment', 'word']) form.append('timestamp_granularities[]', granularity)
  form.append('file', input.file, input.file.name)
  const reply = await unwrap(api.POST('/v1/audio/transcriptions', { body: fields, bodySerializer: () => form, signal }))
  if (!('segments' in reply)) throw new ApiError('The reply has no segments.', { body: reply })
  return reply as Transcript
}

/** Makes a form of text fields. */
export function toForm(fields: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  return form
}
