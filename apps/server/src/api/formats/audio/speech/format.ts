import { type SpeechRequest, speechRequest } from '@svc/wire/openai'
import { checkSetting } from '../../../../inference/documents/check-setting.ts'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { unparsable } from '../../../../inference/documents/unparsable.ts'
import type { WireFormat } from '../../../../inference/replies/wire-format.ts'
import { readLanguage } from '../language.ts'
import { checkWish } from '../output/wish.ts'
import { toSpeechCall } from './speech-reply.ts'
import { readVoice } from './voice.ts'

/** Settings of one request. */
export const MAX_PARAMS = 64

/** The wire format of `POST /v1/audio/speech`. */
export const speechFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'params', MAX_PARAMS)
    const body = await readBody(speechRequest, document, signal)
    const wish = { format: body.response_format ?? undefined, sampleRate: body.sample_rate ?? undefined }
    const isEvents = body.stream_format === 'sse'
    const request = {
      kind: 'speak',
      text: readText(body),
      voice: readVoice(body.voice),
      language: readLanguage(body.language),
      instructions: body.instructions ?? undefined,
      params: toParams(body.params, body.speed),
      stream: isEvents || body.stream === true,
    } as const
    await checkWish(wish)
    return toSpeechCall(request, { wish, isEvents, signal })
  },
}

function readText({ input, text }: SpeechRequest): string {
  return requireText(input ?? text ?? '', 'input')
}

/** Refuses a text of white space only: nothing of it can be heard. @throws {SvcError} `invalid_request` */
export function requireText(text: string, field: string): string {
  if (text.trim() === '') throw unparsable(`${field}: must not be empty`, field)
  return text
}

/** Writes settings as the texts that backends take. @throws {SvcError} `invalid_request` as {@link checkSetting} */
export function toParams(
  given: Readonly<Record<string, unknown>> | null | undefined,
  speed: number | null | undefined,
): Readonly<Record<string, string>> {
  const all = { ...given, ...(speed == null ? {} : { speed }) }
  return Object.fromEntries(
    Object.entries(all).flatMap(([name, value]) => {
      if (value == null) return []
      checkSetting(name, `${value}`)
      return [[name, `${value}`]]
    }),
  )
}
