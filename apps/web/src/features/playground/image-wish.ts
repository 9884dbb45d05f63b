import { toUrl } from '../../lib/base-path.ts'
import type { Picture } from '../../lib/media/picture.ts'
import { writeCurl, writeFormCurl } from './commands.ts'
import { type ImageWish, toEditFields, toImageBody } from './image-calls.ts'
import { areNumbersFit, type NumberRange, toNumbers } from './number-field.tsx'

/** Content of the fields for images. */
export interface WishFields {
  readonly prompt: string
  readonly negative: string
  /** Empty for the server's usual one, and for that of the picture in an edit. */
  readonly size: string
  readonly n: string
  readonly steps: string
  readonly seed: string
}

export const EMPTY_WISH: WishFields = { prompt: '', negative: '', size: '', n: '', steps: '', seed: '' }

/** Sizes to choose from; models are trained on these. */
export const SIZES = ['256x256', '512x512', '512x768', '768x512', '768x768', '1024x1024', '1024x1536', '1536x1024']

export const WISH_RANGES = {
  n: { min: 1, max: 10 },
  steps: { min: 1, max: 1000 },
  seed: { min: 0, max: 2_147_483_647 },
} as const satisfies Record<string, NumberRange>

/** Whether the numbers of the fields are in their ranges. */
export function isWishFit(fields: WishFields): boolean {
  return areNumbersFit(fields, WISH_RANGES)
}

/** What the fields ask for. @param edited the picture whose size counts where none is chosen */
export function toWish(model: string, fields: WishFields, edited?: Picture): ImageWish {
  const { prompt, negative } = fields
  const size = fields.size === '' && edited !== undefined ? toModelSize(edited) : fields.size
  return { model, prompt, negative, size, ...toNumbers(fields, WISH_RANGES) }
}

/** The size of a picture in the steps of eight points that models draw in. */
function toModelSize({ width, height }: Picture): string {
  return [width, height].map((side) => Math.max(8, Math.round(side / 8) * 8)).join('x')
}

/** The equal command. @param hasStart whether images start from a picture */
export function writeImageCommand(
  mode: 'make' | 'edit' | 'enlarge',
  wish: ImageWish,
  scale: string,
  needsKey: boolean,
  hasStart: boolean,
): string {
  if (mode === 'make') {
    return writeCurl(toUrl('/v1/images/generations'), toImageBody(wish, hasStart ? '…' : undefined), needsKey)
  }
  const image = ['image', '@picture.png'] as const
  if (mode === 'enlarge') {
    return writeFormCurl(toUrl('/v1/images/upscale'), [['model', wish.model], image, ['scale', scale]], needsKey)
  }
  const fields = [...Object.entries(toEditFields(wish)), image, ['mask', '@mask.png'] as const]
  return writeFormCurl(toUrl('/v1/images/edits'), fields, needsKey)
}
