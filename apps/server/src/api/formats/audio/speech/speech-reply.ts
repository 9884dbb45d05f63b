import type { SpeakRequest, SpeakResult } from '../../../../inference/operations/audio/audio-operations.ts'
import type { Content } from '../../../../inference/replies/content.ts'
import type { OperationCall } from '../../../../inference/replies/wire-format.ts'
import { toLiveContent, toSoundContent } from '../output/sound-content.ts'
import type { SoundWish } from '../output/wish.ts'
import { EVENT_HEADERS, EVENT_STREAM, toEvent, toFailureEvents } from '../sound-events.ts'

/** How a reply with speech looks. */
export interface SpeechReplyOptions {
  readonly wish: SoundWish
  /** Whether the sound is sent in events. */
  readonly isEvents: boolean
  readonly signal: AbortSignal
}

/** Joins a text to speak and the form of its sound. */
export function toSpeechCall(request: SpeakRequest, options: SpeechReplyOptions): OperationCall {
  return {
    kind: 'operation',
    request,
    async perform(run) {
      const content = await toContent(await run<'speak'>(request), options)
      return { kind: 'content', content: options.isEvents ? toEvents(content) : content }
    },
  }
}

async function toContent(
  { sound, live, sampleRate }: SpeakResult,
  { wish, signal }: SpeechReplyOptions,
): Promise<Content> {
  const options = { name: 'speech', signal }
  if (sound !== undefined) return toSoundContent(sound, wish, options)
  return toLiveContent({ pcm: live ?? noSamples(), sampleRate, channels: 1 }, wish, options)
}

async function* noSamples(): AsyncGenerator<Uint8Array> {}

/** Sends sound in events. Models count no tokens of it. */
function toEvents({ read }: Content): Content {
  return {
    mediaType: EVENT_STREAM,
    headers: EVENT_HEADERS,
    async *read() {
      for await (const piece of read()) {
        yield toEvent({ type: 'speech.audio.delta', audio: Buffer.from(piece).toString('base64') })
      }
      yield toEvent({
        type: 'speech.audio.done',
        usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 },
      })
    },
    tellFailure: toFailureEvents,
  }
}
