import { type ImageRequest, imageRequest } from '@svc/wire/openai'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import type { MediaInputs } from '../../../inference/media/media-inputs.ts'
import type { WireFormat } from '../../../inference/replies/wire-format.ts'
import { chooseForm, type ImageStore, readQuality, readSize, splitPrompt, toImageCall } from './image-reply.ts'
import { readImage } from './input-images.ts'

/** Items of a list of images that are looked at: more than the schema takes. */
const MAX_LISTED = 64
const DEFAULT_STEPS = 15

/** Creates the wire format of `POST /v1/images/generations`. */
export function createGenerationFormat(store: ImageStore): WireFormat {
  return {
    async read(document, { media, owner, signal }) {
      for (const field of ['files', 'ref_images']) limitItems(document, field, MAX_LISTED)
      const body = await readBody(imageRequest, document, signal)
      const { source, references } = await readImages(body, media)
      return toImageCall<'make-image'>(
        {
          kind: 'make-image',
          ...splitPrompt(body),
          ...readSize(body.size),
          count: body.n ?? 1,
          steps: body.step ?? readQuality(body.quality),
          defaultSteps: DEFAULT_STEPS,
          seed: body.seed ?? undefined,
          clipSkip: body.clip_skip ?? undefined,
          source,
          references,
        },
        { form: chooseForm(body), owner, store },
      )
    },
  }
}

/** Writes the images of a body to files. The first one is the one to start from, but those of `ref_images` never are. */
async function readImages(
  { file, files, ref_images: others }: ImageRequest,
  media: MediaInputs,
): Promise<{ readonly source: string | undefined; readonly references: readonly string[] }> {
  const named: [param: string, text: string][] = []
  if (file != null) named.push(['file', file])
  for (const [index, text] of (files ?? []).entries()) named.push([`files[${index}]`, text])
  const sources = await writeAll(named, media)
  const further = await writeAll(
    (others ?? []).map((text, index) => [`ref_images[${index}]`, text] as const),
    media,
  )
  const [source, ...rest] = sources
  return { source, references: [...rest, ...further] }
}

async function writeAll(named: readonly (readonly [string, string])[], media: MediaInputs): Promise<string[]> {
  const paths: string[] = []
  for (const [param, text] of named) paths.push(await media.toFile(await readImage(media, text, param)))
  return paths
}
