import type { JsonDocument } from '@svc/json'
import { type TranscriptFormat, transcriptionForm, translationForm } from '@svc/wire/openai'
import type * as z from 'zod'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import { SOUND_FORM, takeSound } from '../../../../inference/media/sound-file.ts'
import type { TranscribeRequest, TranscribeResult } from '../../../../inference/operations/audio/audio-operations.ts'
import type { Transcript } from '../../../../inference/operations/audio/transcript.ts'
import type { Content } from '../../../../inference/replies/content.ts'
import type { EncodedReply, OperationCall, ReadOptions, WireFormat } from '../../../../inference/replies/wire-format.ts'
import { readLanguage } from '../language.ts'
import { EVENT_HEADERS, EVENT_STREAM, LAST_EVENT, toEvent, toFailureEvents } from '../sound-events.ts'
import { type TranscriptFacts, toDiarizedJson, toDoneEvent, toJson, toVerboseJson } from './transcript-json.ts'
import { isTextFormat, writeTranscript } from './transcript-text.ts'

const PLAIN_TEXT = 'text/plain; charset=utf-8'

/** The wire format of `POST /v1/audio/transcriptions`. */
export const transcriptionFormat: WireFormat = {
  form: SOUND_FORM,
  async read(document, options) {
    const form = await readBody(transcriptionForm, document, options.signal)
    return toCall(form, options, {
      translates: form.translate ?? false,
      diarizes: form.diarize ?? true,
      granularities: listGranularities(form),
      stream: form.stream ?? false,
    })
  },
}

/** The wire format of `POST /v1/audio/translations`. */
export const translationFormat: WireFormat = {
  form: SOUND_FORM,
  async read(document: JsonDocument, options) {
    const form = await readBody(translationForm, document, options.signal)
    return toCall(form, options, { translates: true, diarizes: true, granularities: [], stream: false })
  },
}

type Granularity = TranscribeRequest['granularities'][number]

function listGranularities(form: z.infer<typeof transcriptionForm>): readonly Granularity[] {
  const { 'timestamp_granularities[]': list, timestamp_granularities: one } = form
  const named = new Set(list ?? (one == null ? [] : [one]))
  return [...named].map((name) => {
    if (name === 'word' || name === 'segment') return name
    throw unparsable('timestamp_granularities: must be word or segment', 'timestamp_granularities')
  })
}

async function toCall(
  form: z.infer<typeof translationForm>,
  { files, media }: ReadOptions,
  wanted: Pick<TranscribeRequest, 'translates' | 'diarizes' | 'granularities' | 'stream'>,
): Promise<OperationCall> {
  const request: TranscribeRequest = {
    kind: 'transcribe',
    language: readLanguage(form.language),
    prompt: form.prompt ?? undefined,
    temperature: form.temperature ?? undefined,
    ...wanted,
    path: await takeSound(files, media),
  }
  const format = form.response_format ?? 'json'
  const facts: TranscriptFacts = {
    task: wanted.translates ? 'translate' : 'transcribe',
    temperature: request.temperature ?? 0,
    hasWords: wanted.granularities.includes('word'),
  }
  return {
    kind: 'operation',
    request,
    async perform(run) {
      const result = await run<'transcribe'>(request)
      const { transcript } = result
      if (transcript === undefined) return { kind: 'content', content: toStream(result, format, facts) }
      return toReply(transcript, format, facts)
    },
  }
}

function toReply(transcript: Transcript, format: TranscriptFormat, facts: TranscriptFacts): EncodedReply {
  if (isTextFormat(format)) {
    const bytes = Buffer.from(writeTranscript(transcript, format))
    return { kind: 'content', content: { mediaType: PLAIN_TEXT, length: bytes.length, read: () => once(bytes) } }
  }
  if (format === 'verbose_json') return { kind: 'json', body: () => toVerboseJson(transcript, facts) }
  if (format === 'diarized_json') return { kind: 'json', body: () => toDiarizedJson(transcript, facts.task) }
  return { kind: 'json', body: () => toJson(transcript) }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

function toStream({ live }: TranscribeResult, format: TranscriptFormat, facts: TranscriptFacts): Content {
  return {
    mediaType: EVENT_STREAM,
    headers: EVENT_HEADERS,
    async *read() {
      for await (const part of live ?? []) {
        yield part.type === 'delta'
          ? toEvent({ type: 'transcript.text.delta', delta: part.text })
          : toEvent(toDoneEvent(part.transcript, { ...facts, isVerbose: format === 'verbose_json' }))
      }
      yield LAST_EVENT
    },
    tellFailure: toFailureEvents,
  }
}
