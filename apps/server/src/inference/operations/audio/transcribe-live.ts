import type { BackendClient } from '@svc/backend-client'
import type { TranscriptLiveResponse } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { OperationContext, OperationRunner } from '../operation-runner.ts'
import type { LiveTranscriptPart, TranscribeLiveRequest } from './audio-operations.ts'
import { countWhenLeft } from './count-use.ts'
import { toTranscript } from './transcript.ts'

/** Writes sound down while it comes. A failure before the backend is ready has a status. */
export const runTranscribeLive: OperationRunner<'transcribe-live'> = async (request, context) => {
  const call = context.client.audioTranscriptionLive({ signal: context.signal })
  const replies = call[Symbol.asyncIterator]()
  try {
    await call.write({ config: { language: request.language ?? '', sampleRate: request.sampleRate, params: {} } })
    const first = await countWhenLeft(context, undefined, () => replies.next())
    if (first.done === true) throw noTranscript()
    return {
      promptTokens: 0,
      live: follow(first.value, { replies, call, request, context }),
      release: () => call.cancel(),
    }
  } catch (error) {
    call.cancel()
    throw SvcError.is(error) && error.kind === 'not_implemented' ? notLive(error, context) : error
  }
}

interface Following {
  readonly replies: AsyncIterator<TranscriptLiveResponse>
  readonly call: ReturnType<BackendClient['audioTranscriptionLive']>
  readonly request: TranscribeLiveRequest
  readonly context: OperationContext
}

async function* follow(
  first: TranscriptLiveResponse,
  { replies, call, request, context }: Following,
): AsyncGenerator<LiveTranscriptPart> {
  const sent = { seconds: 0 }
  const state = { failure: undefined as unknown }
  const feeding = feed(call, request, (seconds) => {
    sent.seconds += seconds
    context.onMedia?.({ seconds: sent.seconds })
  }).catch((error: unknown) => {
    state.failure = error
    call.cancel()
  })
  let heard = ''
  try {
    for (
      let step: IteratorResult<TranscriptLiveResponse> = { value: first };
      step.done !== true;
      step = await replies.next()
    ) {
      const { delta, eou, finalResult } = step.value
      heard += delta
      if (delta !== '') yield { type: 'delta', text: delta }
      if (finalResult !== undefined) {
        const { text, duration } = toTranscript(finalResult, heard)
        yield { type: 'done', text, seconds: duration || sent.seconds }
        return
      }
      if (eou) yield { type: 'utterance-end' }
    }
    throw noTranscript()
  } catch (error) {
    throw state.failure ?? error
  } finally {
    call.cancel()
    // Not awaited: a source that is silent must not keep the call.
    void feeding
  }
}

async function feed(
  call: Following['call'],
  { sound, sampleRate }: TranscribeLiveRequest,
  onSent: (seconds: number) => void,
): Promise<void> {
  for await (const samples of sound) {
    await call.write({ audio: { pcm: Array.from(samples) } })
    onSent(samples.length / sampleRate)
  }
  call.end()
}

function noTranscript(): SvcError {
  return new SvcError('internal', 'the backend ended without a transcript', { code: 'no_transcript' })
}

function notLive(cause: SvcError, { model }: OperationContext): SvcError {
  const message = `model "${model.name}" cannot transcribe while a person speaks`
  return new SvcError('not_implemented', message, { code: 'no_live_transcription', cause })
}
