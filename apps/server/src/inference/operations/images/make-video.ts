import type { OperationRunner } from '../operation-runner.ts'
import { type MadeFiles, makeFiles, VIDEO_RULES } from './made-files.ts'
import { readFilmSeconds } from './read-film-seconds.ts'

/** A prompt to film. Numbers that are left out are chosen by the backend. */
export interface MakeVideoRequest {
  readonly kind: 'make-video'
  readonly prompt: string
  /** @default the model's own */
  readonly negativePrompt?: string | undefined
  /** Paths of the first and the last image, and of the sound. @default none */
  readonly startImage?: string | undefined
  readonly endImage?: string | undefined
  readonly audio?: string | undefined
  /** Points. */
  readonly width?: number | undefined
  readonly height?: number | undefined
  readonly frames?: number | undefined
  readonly framesPerSecond?: number | undefined
  /** @default the model's own, else the choice of the backend */
  readonly seed?: number | undefined
  /** @default the model's own */
  readonly cfgScale?: number | undefined
  /** @default the model's own */
  readonly steps?: number | undefined
  /** Further settings, as the backend names them. */
  readonly params: Readonly<Record<string, string>>
}

/** Makes a film. */
export const runMakeVideo: OperationRunner<'make-video'> = async (request, context): Promise<MadeFiles> => {
  const { client, model, signal } = context
  const { parameters, llm } = model
  const { frames = 0, framesPerSecond = 0, seed = parameters.seed } = request
  const made = await makeFiles(context, {
    rules: VIDEO_RULES,
    ask: (dst) =>
      client.generateVideo(
        {
          prompt: request.prompt,
          negativePrompt: request.negativePrompt ?? parameters.negativePrompt ?? '',
          startImage: request.startImage ?? '',
          endImage: request.endImage ?? '',
          audio: request.audio ?? '',
          width: request.width ?? 0,
          height: request.height ?? 0,
          numFrames: frames,
          fps: framesPerSecond,
          seed: seed === undefined ? 0 : seed | 0,
          cfgScale: request.cfgScale ?? llm.cfgScale ?? 0,
          step: request.steps ?? model.step ?? 0,
          params: { ...request.params },
          dst,
          ModelIdentity: parameters.model ?? '',
        },
        { signal },
      ),
    onMade: () => undefined,
  })
  const asked = framesPerSecond > 0 ? frames / framesPerSecond : 0
  const [film] = made.files
  const seconds = (film === undefined ? undefined : await readFilmSeconds(film.path)) ?? asked
  if (seconds > 0) context.onMedia?.({ seconds })
  return made
}
