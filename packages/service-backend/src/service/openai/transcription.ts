import { readWhole, toFields, tryParseJson } from '@svc/proxy/replies'
import type { FormField } from '../multipart.ts'
import {
  readTranscript,
  readTranscriptEvents,
  type TranscribeInput,
  type Transcript,
  type TranscriptPiece,
} from '../transcription.ts'
import { readContentType, type ServiceBytes, type ServiceCall, type ServiceTransport } from '../transport.ts'
import type { AskWithForm } from './negotiate.ts'

const MAX_TRANSCRIPT_BYTES = 64 * 1024 * 1024

/** A call, and what is known of the forms of reply that the model gives. */
interface ProviderCall {
  readonly call: ServiceCall
  readonly negotiate: AskWithForm
}

/** Transcribes speech, or translates it into English. */
export async function transcribeAtProvider(
  transport: ServiceTransport,
  input: TranscribeInput,
  { call, negotiate }: ProviderCall,
): Promise<Transcript> {
  const path = toPath(input)
  return readTranscript(
    await negotiate((withForm) => transport.ask(path, { form: toForm(transport, input, withForm) }, call)),
  )
}

/** Transcribes speech, streamed. A model that cannot stream gives the whole transcript at once. */
export async function* streamFromProvider(
  transport: ServiceTransport,
  input: TranscribeInput,
  { call, negotiate }: ProviderCall,
): AsyncGenerator<TranscriptPiece, void, undefined> {
  const path = toPath(input)
  const reply = await negotiate((withForm) => {
    const form: FormField[] = [...toForm(transport, input, withForm), ['stream', true]]
    return transport.fetch(path, { form }, { ...call, streams: true })
  })
  if (readContentType(reply) === 'text/event-stream') yield* readTranscriptEvents(transport, { body: reply.body, path })
  else yield { transcript: await readWholeTranscript(reply) }
}

async function readWholeTranscript({ body }: ServiceBytes): Promise<Transcript> {
  const text = new TextDecoder().decode(await readWhole(body, MAX_TRANSCRIPT_BYTES))
  return readTranscript(toFields(tryParseJson(text)))
}

function toPath({ translate }: TranscribeInput): string {
  return translate ? '/v1/audio/translations' : '/v1/audio/transcriptions'
}

/** Segments and words come with the detailed form alone. Providers have no field that asks for speakers. */
function toForm({ target }: ServiceTransport, input: TranscribeInput, withForm: boolean): FormField[] {
  const { file, language, prompt, temperature, translate, granularities } = input
  return [
    ['model', target.model],
    ['file', file],
    ['response_format', withForm ? 'verbose_json' : 'json'],
    ...(language === '' || translate ? [] : [['language', language] as const]),
    ...(prompt === '' ? [] : [['prompt', prompt] as const]),
    ...(temperature === 0 ? [] : [['temperature', temperature] as const]),
    ...(withForm && !translate ? granularities.map((word) => ['timestamp_granularities[]', word] as const) : []),
  ]
}
