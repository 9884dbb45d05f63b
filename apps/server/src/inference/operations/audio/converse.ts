import { float32ToS16, s16ToFloat32 } from '@svc/audio/samples'
import type { AudioToAudioResponse } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { OperationContext, OperationRunner } from '../operation-runner.ts'
import type { ConversationPart, ConverseRequest } from './audio-operations.ts'
import { countWhenLeft } from './count-use.ts'

/** Samples of one frame: a message has a limit, and a backend may begin before the last one. */
const FRAME_SAMPLES = 16_000
/** Samples a second that the model is asked for. */
const OUTPUT_RATE = 24_000
const MIN_RATE = 4000
const MAX_RATE = 192_000

/** Has one turn of a spoken conversation with a model that hears and speaks. */
export const runConverse: OperationRunner<'converse'> = async (request, context) => {
  const call = context.client.audioToAudioStream({ signal: context.signal })
  const seconds = request.samples.length / request.sampleRate
  try {
    const replies = call[Symbol.asyncIterator]()
    const first = await countWhenLeft(context, { seconds }, async () => {
      await send(call, request)
      return replies.next()
    })
    context.onMedia?.({ seconds })
    if (first.done === true) throw endedEarly()
    const live = follow(first.value, replies, () => call.cancel())
    return { promptTokens: 0, live, release: () => call.cancel() }
  } catch (error) {
    call.cancel()
    throw SvcError.is(error) && error.kind === 'not_implemented' ? notSpoken(error, context) : error
  }
}

type Call = ReturnType<OperationContext['client']['audioToAudioStream']>

async function send(call: Call, request: ConverseRequest): Promise<void> {
  const { samples, sampleRate, instructions, voice = '', tools, history } = request
  await call.write({
    config: {
      inputSampleRate: sampleRate,
      outputSampleRate: OUTPUT_RATE,
      systemPrompt: instructions,
      voice,
      tools: tools.length === 0 ? '' : JSON.stringify(tools),
    },
  })
  for (const message of history) {
    await call.write({ control: { event: 'conversation.item.create', payload: Buffer.from(JSON.stringify(message)) } })
  }
  for (let from = 0; from < samples.length; from += FRAME_SAMPLES) {
    await call.write({ frame: { pcm: float32ToS16(samples.subarray(from, from + FRAME_SAMPLES)) } })
  }
  await call.write({ frame: { endOfInput: true } })
}

async function* follow(
  first: AudioToAudioResponse,
  replies: AsyncIterator<AudioToAudioResponse>,
  cancel: () => void,
): AsyncGenerator<ConversationPart> {
  const calls = createCalls()
  try {
    for (
      let step: IteratorResult<AudioToAudioResponse> = { value: first };
      step.done !== true;
      step = await replies.next()
    ) {
      const { event, pcm, sampleRate } = step.value
      const meta = readMeta(step.value.meta)
      if (event === 'response.done') return
      if (event === 'error') throw failed(toText(meta.message))
      if (pcm.length > 1) yield { type: 'audio', samples: s16ToFloat32(pcm), sampleRate: checkRate(sampleRate) }
      if (event.endsWith('audio_transcript.delta') || event.endsWith('text.delta')) {
        const text = toText(meta.delta)
        if (text !== '') yield { type: 'transcript', text }
      }
      const called = calls.read(event, meta)
      if (called !== undefined) yield called
    }
    throw endedEarly()
  } finally {
    cancel()
  }
}

/** Most bytes of the arguments of calls that are not complete. */
const MAX_ARGUMENTS = 1024 * 1024

/** Joins the pieces of calls. */
function createCalls() {
  const pieces = new Map<string, string>()
  let held = 0
  return {
    read(event: string, meta: Meta): ConversationPart | undefined {
      const id = toText(meta.call_id) || toText(meta.id)
      if (event === 'response.function_call_arguments.delta') {
        const piece = toText(meta.delta)
        held += piece.length
        if (held > MAX_ARGUMENTS) throw failed('the arguments of a call are too long')
        pieces.set(id, (pieces.get(id) ?? '') + piece)
      }
      if (event !== 'response.function_call_arguments.done') return undefined
      const given = toText(meta.arguments) || pieces.get(id) || '{}'
      pieces.delete(id)
      return { type: 'call', id, name: toText(meta.name), arguments: given }
    },
  }
}

type Meta = Readonly<Record<string, unknown>>

function readMeta(bytes: Uint8Array): Meta {
  if (bytes.length === 0) return {}
  try {
    const value: unknown = JSON.parse(Buffer.from(bytes).toString())
    return typeof value === 'object' && value !== null ? (value as Meta) : {}
  } catch {
    return {}
  }
}

const toText = (value: unknown): string => (typeof value === 'string' ? value : '')

function checkRate(rate: number): number {
  if (rate === 0) return OUTPUT_RATE
  if (rate >= MIN_RATE && rate <= MAX_RATE) return rate
  throw failed(`sound of ${rate} samples a second`)
}

function failed(what: string): SvcError {
  const reason = what === '' ? '' : `: ${what.slice(0, 500)}`
  return new SvcError('internal', `the backend failed in the conversation${reason}`, { code: 'conversation_failed' })
}

function endedEarly(): SvcError {
  return new SvcError('internal', 'the backend ended before its turn was over', { code: 'conversation_failed' })
}

function notSpoken(cause: SvcError, { model }: OperationContext): SvcError {
  const message = `model "${model.name}" holds no spoken conversations (AudioToAudioStream)`
  return new SvcError('not_implemented', message, { code: 'no_spoken_conversation', cause })
}
