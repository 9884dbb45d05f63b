import { readWhole, toFields, tryParseJson } from '@svc/proxy/replies'
import { readGenerated } from '../generated-content.ts'
import { type ImageInput, MAX_LIST_BYTES, toFormImage, toSize } from '../images.ts'
import type { FormField } from '../multipart.ts'
import { dropZeros, type ServiceBody, type ServiceCall, type ServiceTransport } from '../transport.ts'
import type { AskWithForm } from './negotiate.ts'

/**
 * Generates an image, or changes the given one. Providers have no fields for a negative prompt, steps and seeds: they
 * are left out.
 */
export async function makeImageAtProvider(
  transport: ServiceTransport,
  input: ImageInput,
  { call, negotiate }: { readonly call: ServiceCall; readonly negotiate: AskWithForm },
): Promise<AsyncIterable<Uint8Array>> {
  const isEdit = input.source !== undefined && input.source !== ''
  const path = isEdit || input.edit !== undefined ? '/v1/images/edits' : '/v1/images/generations'
  return await negotiate(async (withForm) => {
    const body = path === '/v1/images/edits' ? toForm(transport, input, withForm) : toJson(transport, input, withForm)
    const reply = await transport.fetch(path, body, { ...call, streams: false })
    const list = toFields(tryParseJson(new TextDecoder().decode(await readWhole(reply.body, MAX_LIST_BYTES))))
    return await readGenerated(transport, { reply: list, path, kind: 'images' }, call)
  })
}

function toJson({ target }: ServiceTransport, input: ImageInput, withForm: boolean): ServiceBody {
  const { prompt } = input
  const form = withForm ? { response_format: 'b64_json' } : {}
  return { json: { model: target.model, prompt, n: 1, ...form, ...dropZeros({ size: toSize(input) }) } }
}

function toForm({ target }: ServiceTransport, input: ImageInput, withForm: boolean): ServiceBody {
  const { prompt, source = '', edit, references } = input
  const images = edit === undefined ? [Buffer.from(source, 'base64')] : [edit.image]
  const all = [...images, ...references.map((reference) => Buffer.from(reference, 'base64'))]
  const name = all.length === 1 ? 'image' : 'image[]'
  const size = toSize(input)
  return {
    form: [
      ['model', target.model],
      ['prompt', prompt],
      ['n', 1],
      ...(size === '' ? [] : [['size', size] as const]),
      ...(withForm ? [['response_format', 'b64_json'] as const] : []),
      ...all.map((bytes, index): FormField => [name, toFormImage(bytes, `image-${index}`)]),
      ...(edit === undefined ? [] : [['mask', toFormImage(edit.mask, 'mask')] as const]),
    ],
  }
}
