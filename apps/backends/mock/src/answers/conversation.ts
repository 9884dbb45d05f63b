import type { AudioToAudioResponse, PartialMessage } from '@svc/backend-client/proto'
import { makeSpeech } from '../make-speech.ts'
import type { MockBehaviour } from '../script.ts'
import type { BackendAnswers } from '../state.ts'
import { SAMPLE_RATE } from '../wav.ts'
import { splitWords } from '../words.ts'

type Part = PartialMessage<AudioToAudioResponse>

/** Turns of an any-to-any model. */
export const conversationAnswers = {
  /** Speaks the scripted text and makes the scripted calls. Without a script it returns each turn unchanged. */
  async *audioToAudioStream(requests, { behaviour }) {
    let turn: Buffer[] = []
    let sequence = 0n
    for await (const { frame } of requests) {
      if (!frame) continue
      turn.push(Buffer.from(frame.pcm))
      if (!frame.endOfInput) continue
      for (const part of answerTurn(Buffer.concat(turn), behaviour)) yield { ...part, sequence: sequence++ }
      turn = []
    }
  },
} satisfies Partial<BackendAnswers>

function* answerTurn(heard: Buffer, behaviour: MockBehaviour): Generator<Part> {
  const { text, toolCalls = [] } = behaviour
  if (text === undefined && toolCalls.length === 0) {
    yield writePart('response.audio_transcript.delta', { delta: 'echo' })
    yield { event: 'response.audio.delta', pcm: heard, sampleRate: SAMPLE_RATE }
  }
  for (const word of splitWords(text ?? '')) {
    yield writePart('response.audio_transcript.delta', { delta: word })
    yield { event: 'response.audio.delta', pcm: makeSpeech(word, behaviour), sampleRate: SAMPLE_RATE }
  }
  for (const [index, { id = `call_${index}`, name, arguments: value }] of toolCalls.entries()) {
    const written = typeof value === 'string' ? value : JSON.stringify(value)
    yield writePart('response.function_call_arguments.delta', { call_id: id, name, delta: written })
    yield writePart('response.function_call_arguments.done', { call_id: id, name, arguments: written })
  }
  yield writePart('response.done', {})
}

function writePart(event: string, meta: object): Part {
  return { event, meta: Buffer.from(JSON.stringify(meta)) }
}
