import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { PartialMessage } from '@svc/backend-client'
import type { Reply, TTSRequest } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { OperationContext, OperationRunner } from '../operation-runner.ts'
import type { SpeakRequest, SpeakResult } from './audio-operations.ts'
import { countWhenLeft } from './count-use.ts'
import { makeSoundFile } from './made-sound.ts'

/** The rate of backends that name none. */
const DEFAULT_RATE = 16_000
const MIN_RATE = 4000
const MAX_RATE = 192_000

/** Speaks a text. */
export const runSpeak: OperationRunner<'speak'> = async (request, context) => {
  const { client, signal, onMedia } = context
  const characters = countCharacters(request.text)
  const fields = await toFields(request, context.model)
  if (request.stream) return startSpeech(client.ttsStream(fields, { signal }), context, characters)
  const made = await countWhenLeft(context, { characters }, () =>
    makeSoundFile(context, (dst) => client.tts({ ...fields, dst }, { signal })),
  )
  onMedia?.({ characters })
  const { promptTokens, sound, release } = made
  return { promptTokens, sound, release, sampleRate: DEFAULT_RATE }
}

/** Counts code points without a list of them. */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Waits for the first samples, so that a failure until then has a status. */
async function startSpeech(
  replies: AsyncGenerator<Reply, void>,
  context: OperationContext,
  characters: number,
): Promise<SpeakResult> {
  try {
    const { sampleRate, first } = await countWhenLeft(context, { characters }, () => readStart(replies))
    context.onMedia?.({ characters })
    return { promptTokens: 0, sampleRate, live: follow(first, replies), release: () => void replies.return() }
  } catch (error) {
    await replies.return()
    throw SvcError.is(error) && error.kind === 'not_implemented' ? noStream(error, context) : error
  }
}

/** Reads up to the first samples. The sample rate comes before them, in JSON. */
async function readStart(
  replies: AsyncGenerator<Reply, void>,
): Promise<{ readonly sampleRate: number; readonly first: Uint8Array }> {
  let sampleRate = DEFAULT_RATE
  for (let step = await replies.next(); step.done !== true; step = await replies.next()) {
    const { message, audio } = step.value
    sampleRate = readRate(message) ?? sampleRate
    if (audio.length > 0) return { sampleRate, first: audio }
  }
  throw new SvcError('internal', 'the backend ended without sound', { code: 'no_sound' })
}

async function* follow(first: Uint8Array, rest: AsyncGenerator<Reply, void>): AsyncGenerator<Uint8Array> {
  try {
    yield first
    for await (const { audio } of rest) if (audio.length > 0) yield audio
  } finally {
    await rest.return()
  }
}

function readRate(message: Uint8Array): number | undefined {
  if (message.length === 0) return undefined
  try {
    const told: unknown = JSON.parse(Buffer.from(message).toString())
    const rate = typeof told === 'object' && told !== null && 'sample_rate' in told ? told.sample_rate : undefined
    return typeof rate === 'number' && Number.isInteger(rate) && rate >= MIN_RATE && rate <= MAX_RATE ? rate : undefined
  } catch {
    return undefined
  }
}

async function toFields(request: SpeakRequest, model: ModelConfig): Promise<PartialMessage<TTSRequest>> {
  return {
    text: request.text,
    model: await findModelPath(model),
    voice: request.voice || (model.tts.voice ?? ''),
    ...(request.language === undefined ? {} : { language: request.language }),
    ...(request.instructions === undefined ? {} : { instructions: request.instructions }),
    params: { ...request.params },
    ModelIdentity: model.parameters.model ?? '',
  }
}

/** Gives the path of the weights in the models folder, or the name as the model file has it. */
export async function findModelPath({ folder, parameters: { model = '' } }: ModelConfig): Promise<string> {
  if (model === '') return ''
  const path = join(folder, model)
  const found = await stat(path).catch(() => undefined)
  return found === undefined ? model : path
}

function noStream(cause: SvcError, { model }: OperationContext): SvcError {
  const message = `model "${model.name}" cannot stream speech: ask again without "stream"`
  return new SvcError('not_implemented', message, { code: 'no_speech_stream', cause })
}
