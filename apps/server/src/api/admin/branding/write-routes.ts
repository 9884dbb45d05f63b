import { readFile } from 'node:fs/promises'
import { SvcError } from '@svc/errors'
import type { Call } from '../../../http/call.ts'
import type { FormReader } from '../../../http/forms/form-reader.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { MAX_ASSET_BYTES } from '../../../settings/branding-limits.ts'
import type { AssetStore } from './asset-store.ts'
import { type BrandingKind, isKind } from './branding.ts'

const schemas = () => import('./schemas.ts')

/** Parts of the routes. */
export interface BrandingWriteParts {
  readonly assets: AssetStore
  readonly forms: FormReader
  /** Gives the branding as it is now. */
  readonly reply: () => HttpReply
}

const PATH = '/api/branding/asset/:kind'
const shared = { path: PATH, access: 'admin', family: 'flat', tag: 'branding' } as const
const done = { description: 'The branding.', schema: async () => (await schemas()).brandingReply }

/** `POST` and `DELETE /api/branding/asset/:kind`. */
export function brandingWriteRoutes({ assets, forms, reply }: BrandingWriteParts): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      form: true,
      body: async () => (await schemas()).imageForm,
      bodyType: 'multipart/form-data',
      summary: 'Set an image of this instance: PNG, JPEG, SVG, WebP or ICO',
      audit: { change: 'branding.set', target: 'kind' },
      responses: {
        200: done,
        400: { description: 'No such image, no file, or a file of another type.' },
        413: { description: 'The image is larger than 5 MiB.' },
      },
      async handler(call) {
        const kind = readKind(call)
        await assets.set(kind, await readImage(call, forms))
        return reply()
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      summary: 'Go back to the image of the server',
      audit: { change: 'branding.reset', target: 'kind' },
      responses: { 200: done },
      async handler(call) {
        await assets.reset(readKind(call))
        return reply()
      },
    }),
  ]
}

function readKind(call: Call): BrandingKind {
  const kind = call.param('kind')
  if (isKind(kind)) return kind
  throw new SvcError('invalid_request', 'there is no such image: logo, logo_horizontal and favicon can be set')
}

const FORM = { files: { file: { maxBytes: MAX_ASSET_BYTES, noun: 'the image' } } }

/** Reads the field `file` of a form. @throws {SvcError} `invalid_request` without one, `too_large` */
async function readImage(call: Call, forms: FormReader): Promise<Uint8Array> {
  const form = await forms.read(call, FORM)
  try {
    const [file] = form.files
    if (file === undefined) throw new SvcError('invalid_request', 'file is required')
    return await readFile(file.path)
  } finally {
    form.release()
  }
}
