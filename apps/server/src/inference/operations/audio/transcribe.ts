import type { PartialMessage } from '@svc/backend-client'
import type { TranscriptRequest } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { OperationContext, OperationRunner } from '../operation-runner.ts'
import type { TranscribeRequest, TranscribeResult, TranscriptPart } from './audio-operations.ts'
import { countWhenLeft } from './count-use.ts'
import { readSoundSeconds } from './sound-facts.ts'
import { toTranscript } from './transcript.ts'

/** Writes down what is said in a recording. */
export const runTranscribe: OperationRunner<'transcribe'> = async (request, context) => {
  const seconds = await readSoundSeconds(request.path)
  const known = seconds === undefined ? undefined : { seconds }
  if (request.stream) return startStream(request, context, known)
  const { client, signal, onMedia } = context
  const given = await countWhenLeft(context, known, () =>
    client.audioTranscription(toBackendRequest(request, context), { signal }),
  )
  const transcript = toTranscript(given)
  onMedia?.({ seconds: transcript.duration || (seconds ?? 0) })
  return { promptTokens: 0, transcript }
}

/** Starts a stream and waits for its first part, so that a failure until then has a status. */
async function startStream(
  request: TranscribeRequest,
  context: OperationContext,
  known: { readonly seconds: number } | undefined,
): Promise<TranscribeResult> {
  const parts = readParts(request, context)
  try {
    const first = await countWhenLeft(context, known, () => parts.next())
    // The backend has begun its work.
    if (known !== undefined) context.onMedia?.(known)
    return { promptTokens: 0, live: follow(first, parts) }
  } catch (error) {
    throw SvcError.is(error) && error.kind === 'not_implemented' ? noStream(error, context) : error
  }
}

async function* follow(
  first: IteratorResult<TranscriptPart, void>,
  rest: AsyncGenerator<TranscriptPart, void>,
): AsyncGenerator<TranscriptPart> {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return()
  }
}

async function* readParts(request: TranscribeRequest, context: OperationContext): AsyncGenerator<TranscriptPart, void> {
  const { client, signal, onMedia } = context
  let heard = ''
  for await (const { delta, finalResult } of client.audioTranscriptionStream(toBackendRequest(request, context), {
    signal,
  })) {
    if (delta !== '') {
      heard += delta
      yield { type: 'delta', text: delta }
    }
    if (finalResult === undefined) continue
    const transcript = toTranscript(finalResult, heard)
    if (transcript.duration > 0) onMedia?.({ seconds: transcript.duration })
    if (heard === '' && transcript.text !== '') yield { type: 'delta', text: transcript.text }
    yield { type: 'done', transcript }
    return
  }
  throw new SvcError('internal', 'the backend ended without a transcript', { code: 'no_transcript' })
}

function noStream(cause: SvcError, { model }: OperationContext): SvcError {
  const message = `model "${model.name}" cannot stream a transcription: ask again without "stream"`
  return new SvcError('not_implemented', message, { code: 'no_transcription_stream', cause })
}

function toBackendRequest(request: TranscribeRequest, { model }: OperationContext): PartialMessage<TranscriptRequest> {
  return {
    dst: request.path,
    language: request.language ?? '',
    threads: model.threads ?? 0,
    translate: request.translates,
    diarize: request.diarizes,
    prompt: request.prompt ?? '',
    temperature: request.temperature ?? 0,
    timestampGranularities: [...request.granularities],
    stream: request.stream,
    ModelIdentity: model.parameters.model ?? '',
  }
}
