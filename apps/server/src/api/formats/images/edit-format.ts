import { SvcError } from '@svc/errors'
import type { JsonDocument } from '@svc/json'
import { imageEditForm } from '@svc/wire/openai'
import type { FormFile } from '../../../inference/documents/form.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import type { MediaInputs } from '../../../inference/media/media-inputs.ts'
import { sniffMedia } from '../../../inference/media/sniff-media.ts'
import type { WireFormat } from '../../../inference/replies/wire-format.ts'
import {
  chooseForm,
  type ImageStore,
  namesProvider,
  readQuality,
  readSize,
  splitPrompt,
  toImageCall,
} from './image-reply.ts'
import { MAX_IMAGE_BYTES, readFormImage, toStorageFailure } from './input-images.ts'

const DEFAULT_STEPS = 25
const MAX_FILES = 16
/** Clients name a single image `image`, and several of them `image[]`. */
const IMAGE_FIELDS: ReadonlySet<string> = new Set(['image', 'image[]'])

/** Creates the wire format of `POST /v1/images/edits`. */
export function createEditFormat(store: ImageStore): WireFormat {
  const images = { maxBytes: MAX_IMAGE_BYTES, maxCount: MAX_FILES }
  return {
    form: { files: { image: images, 'image[]': images, mask: { maxBytes: MAX_IMAGE_BYTES } } },
    async read(document, { files, media, owner, signal }) {
      const [image, ...others] = files.filter(({ field }) => IMAGE_FIELDS.has(field))
      if (image === undefined) throw missing('image')
      const mask = files.find(({ field }) => field === 'mask')
      if (mask === undefined && !namesProvider(readModelName(document))) throw missing('mask')
      const body = await readBody(imageEditForm, document, signal)
      const source =
        mask === undefined
          ? await toSource({ image, others }, media, signal)
          : await writeSource({ image, mask, others }, media, signal)
      return toImageCall<'make-image'>(
        {
          kind: 'make-image',
          ...splitPrompt(body),
          ...readSize(body.size),
          count: Number(body.n ?? 1),
          steps: body.steps === undefined ? readQuality(body.quality) : Number(body.steps),
          defaultSteps: DEFAULT_STEPS,
          seed: body.seed === undefined ? undefined : Number(body.seed),
          source,
          references: (mask === undefined ? others : [image, mask, ...others]).map(({ path }) => path),
        },
        { form: chooseForm(body), owner, store, namesStorage: true, event: 'image_edit.completed' },
      )
    },
  }
}

interface EditedFiles {
  readonly image: FormFile
  readonly mask: FormFile
  readonly others: readonly FormFile[]
}

function readModelName({ root }: JsonDocument): string {
  const node = root.get('model')
  return node?.kind === 'string' ? node.text() : ''
}

/** Gives the path of the image to start from, which is changed as a whole. */
async function toSource(
  { image, others }: Omit<EditedFiles, 'mask'>,
  media: MediaInputs,
  signal: AbortSignal,
): Promise<string> {
  for (const other of others) await readFormImage(other, signal)
  const { mediaType } = sniffMedia(await readFormImage(image, signal)) ?? {}
  return await media.rename(image.path, mediaType ?? 'image/png')
}

/** Writes the file that backends read: the image and its mask in base64. */
async function writeSource(
  { image, mask, others }: EditedFiles,
  media: MediaInputs,
  signal: AbortSignal,
): Promise<string> {
  const [base, cover] = [await readFormImage(image, signal), await readFormImage(mask, signal)]
  for (const other of others) await readFormImage(other, signal)
  function* write(): Generator<Uint8Array> {
    yield Buffer.from('{"image":"')
    yield Buffer.from(base.toString('base64'))
    yield Buffer.from('","mask_image":"')
    yield Buffer.from(cover.toString('base64'))
    yield Buffer.from('"}')
  }
  try {
    return await media.writeFile(write(), '.json')
  } catch (error) {
    throw toStorageFailure(error)
  }
}

function missing(what: 'image' | 'mask'): SvcError {
  return new SvcError('invalid_request', `missing ${what} file`, {
    code: 'missing_file',
    details: { type: 'invalid_request_error', param: what },
  })
}
