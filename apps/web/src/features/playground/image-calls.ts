import { api, unwrap } from '../../lib/api-client.ts'
import { toForm } from '../../lib/media/calls.ts'
import { toMadeUrl } from '../../lib/media/generated-files.ts'
import { encodeMask, type Mask } from '../../lib/media/png.ts'
import type { components } from '../../lib/schema.gen.ts'

type ImageBody = components['schemas']['ImageRequest']
/** The images of a reply. */
interface ImageList {
  readonly data: readonly { readonly url?: string; readonly b64_json?: string }[]
  readonly output_format: string
}

/** What the images of a request have in common. */
export interface ImageWish {
  readonly model: string
  readonly prompt: string
  readonly negative: string
  /** `WxH`; empty for the server's usual one. */
  readonly size: string
  readonly n?: number | undefined
  readonly steps?: number | undefined
  readonly seed?: number | undefined
}

/** An image of a reply. */
export interface MadeImage {
  readonly url: string
  /** End of file names. */
  readonly ending: string
}

/** The body of a request for images. @param start a `data:` address of an image to start from */
export function toImageBody(wish: ImageWish, start?: string): ImageBody {
  const { model, prompt, negative, size, n, steps, seed } = wish
  return {
    model,
    prompt,
    ...(negative.trim() !== '' && { negative_prompt: negative }),
    ...(size !== '' && { size }),
    ...(n !== undefined && { n }),
    ...(steps !== undefined && { step: steps }),
    ...(seed !== undefined && { seed }),
    ...(start !== undefined && { file: start }),
  }
}

/** The text fields of a form that edits an image. */
export function toEditFields(wish: ImageWish): Readonly<Record<string, string>> {
  const { step, ...body } = toImageBody(wish)
  const fields = { ...body, ...(step != null && { steps: step }) }
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]))
}

/** Makes images of a text. @throws ApiError */
export async function makeImages(body: ImageBody, signal: AbortSignal): Promise<MadeImage[]> {
  return toImages(await unwrap(api.POST('/v1/images/generations', { body, signal })))
}

/** Draws the marked part of an image anew. @throws ApiError */
export async function editImage(wish: ImageWish, image: File, mask: Mask, signal: AbortSignal): Promise<MadeImage[]> {
  const fields = toEditFields(wish)
  const form = toForm(fields)
  form.append('image', image, image.name)
  form.append('mask', await encodeMask(mask), 'mask.png')
  const body = { ...fields, prompt: wish.prompt }
  return toImages(await unwrap(api.POST('/v1/images/edits', { body, bodySerializer: () => form, signal })))
}

/** Enlarges an image. @throws ApiError */
export async function enlargeImage(
  model: string,
  image: File,
  scale: '2' | '4',
  signal: AbortSignal,
): Promise<MadeImage[]> {
  const form = toForm({ model, scale })
  form.append('image', image, image.name)
  const call = api.POST('/v1/images/upscale', { body: { model, scale }, bodySerializer: () => form, signal })
  return toImages(await unwrap(call))
}

function toImages({ data, output_format: format }: ImageList): MadeImage[] {
  const ending = format === 'jpeg' ? 'jpg' : format
  return data.flatMap((image) => {
    const url = toMadeUrl(image, `image/${format}`)
    return url === undefined ? [] : [{ url, ending }]
  })
}
