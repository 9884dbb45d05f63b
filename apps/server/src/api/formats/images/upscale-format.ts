import { imageUpscaleForm } from '@svc/wire/openai'
import { readBody } from '../../../inference/documents/read-body.ts'
import { unparsable } from '../../../inference/documents/unparsable.ts'
import type { WireFormat } from '../../../inference/replies/wire-format.ts'
import { chooseForm, type ImageStore, toImageCall } from './image-reply.ts'
import { MAX_IMAGE_BYTES, readFormImage, readImage } from './input-images.ts'

/** The largest image in base64, with room for the head of a data URL. */
const MAX_TEXT_BYTES = Math.ceil(MAX_IMAGE_BYTES / 3) * 4 + 1024

/** Creates the wire format of `POST /v1/images/upscale`. */
export function createUpscaleFormat(store: ImageStore): WireFormat {
  return {
    form: { files: { image: { maxBytes: MAX_IMAGE_BYTES } }, maxFieldBytes: MAX_TEXT_BYTES },
    takesJson: true,
    async read(document, { files, media, owner, signal }) {
      const body = await readBody(imageUpscaleForm, document, signal)
      const [file] = files
      if (file !== undefined) await readFormImage(file, signal)
      else if (body.image == null) throw unparsable('image is required', 'image')
      const text = body.image ?? ''
      const source = file?.path ?? (await media.toFile(await readImage(media, text, 'image')))
      return toImageCall<'upscale-image'>(
        { kind: 'upscale-image', source, scale: Number(body.scale ?? 2) },
        { form: chooseForm(body), owner, store },
      )
    },
  }
}
