import { SvcError } from '@svc/errors'
import { MAX_FRAMES, type VideoList, type VideoRequest, videoRequest } from '@svc/wire/openai'
import { checkSetting } from '../../../inference/documents/check-setting.ts'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import type { Medium } from '../../../inference/media/attachment.ts'
import type { MediaInputs } from '../../../inference/media/media-inputs.ts'
import type { MakeVideoRequest } from '../../../inference/operations/images/image-operations.ts'
import type { OperationCall, WireFormat } from '../../../inference/replies/wire-format.ts'
import { type ImageStore, readSize } from './image-reply.ts'
import { readImage, toAttachment } from './input-images.ts'
import { encodeMade } from './made-reply.ts'

const MAX_PARAMS = 64
/** Frames in a second of a film whose length is given in seconds only. */
const DEFAULT_RATE = 24

/** Creates the wire format of `POST /v1/video/generations`. */
export function createVideoFormat(store: ImageStore): WireFormat {
  return {
    async read(document, { media, owner, signal }) {
      limitItems(document, 'params', MAX_PARAMS)
      const body = await readBody(videoRequest, document, signal)
      const request: MakeVideoRequest = { kind: 'make-video', ...readFields(body), ...(await readMedia(body, media)) }
      return toVideoCall(request, { form: body.response_format ?? 'url', owner, store })
    },
  }
}

function toVideoCall(
  request: MakeVideoRequest,
  options: { readonly form: 'url' | 'b64_json'; readonly owner: string; readonly store: ImageStore },
): OperationCall {
  return {
    kind: 'operation',
    request,
    async perform(run) {
      const { files } = await run<'make-video'>(request)
      return await encodeMade(files, {
        ...options,
        kind: 'videos',
        envelope: ({ requestId, created }, data): VideoList => ({
          id: requestId,
          created,
          data: [...data] as VideoList['data'],
        }),
      })
    },
  }
}

/** Gives the fields without media. 0 counts as absent. */
function readFields(body: VideoRequest): Omit<MakeVideoRequest, 'kind' | 'startImage' | 'endImage' | 'audio'> {
  const size = body.size == null || body.size === 'auto' ? undefined : readSize(body.size)
  for (const [name, value] of Object.entries(body.params ?? {})) checkSetting(name, value)
  return {
    prompt: body.prompt,
    negativePrompt: body.negative_prompt ?? undefined,
    width: body.width || size?.width,
    height: body.height || size?.height,
    ...readLength(body),
    seed: body.seed ?? undefined,
    cfgScale: body.cfg_scale || undefined,
    steps: body.step || undefined,
    params: body.params ?? {},
  }
}

/** Gives the number of frames and their rate. A length in seconds becomes frames. */
function readLength({
  num_frames: frames,
  fps,
  seconds,
}: VideoRequest): Pick<MakeVideoRequest, 'frames' | 'framesPerSecond'> {
  const length = Number(seconds ?? 0)
  if (frames || length === 0) return { frames: frames || undefined, framesPerSecond: fps || undefined }
  const rate = fps || DEFAULT_RATE
  const counted = Math.max(1, Math.round(length * rate))
  if (counted > MAX_FRAMES) throw unparsable(`seconds: more than ${MAX_FRAMES} frames`, 'seconds')
  return { frames: counted, framesPerSecond: rate }
}

async function readMedia(
  { start_image: start, input_reference: reference, end_image: end, audio }: VideoRequest,
  media: MediaInputs,
): Promise<Pick<MakeVideoRequest, 'startImage' | 'endImage' | 'audio'>> {
  const toImage = (text: string, field: string) => readImage(media, text, field)
  const [field, first] = start == null ? ['input_reference', reference] : ['start_image', start]
  return {
    startImage: await writeMedium(first, field ?? 'start_image', toImage, media),
    endImage: await writeMedium(end, 'end_image', toImage, media),
    audio: await writeMedium(
      audio,
      'audio',
      (text, name) => media.read(toAttachment(text, name, 'audio'), ['audio']),
      media,
    ),
  }
}

/** Writes a medium to a file. A refusal begins as clients of this route know it. */
async function writeMedium(
  text: string | null | undefined,
  field: string,
  read: (text: string, field: string) => Promise<Medium>,
  media: MediaInputs,
): Promise<string | undefined> {
  if (text == null) return undefined
  try {
    return await media.toFile(await read(text, field))
  } catch (error) {
    throw toFieldRefusal(error, field)
  }
}

function toFieldRefusal(error: unknown, field: string): unknown {
  if (!SvcError.is(error) || error.details?.param !== field) return error
  const { code, details, message } = error
  const reason = message.startsWith(`${field}: `) ? message.slice(field.length + 2) : message
  return new SvcError('invalid_request', `invalid ${field}: ${reason}`, { code, details, cause: error })
}
