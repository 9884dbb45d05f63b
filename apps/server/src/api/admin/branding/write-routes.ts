import { SvcError } from '@svc/errors'
import type { BodyReader } from '../../../http/body.ts'
import type { Call } from '../../../http/call.ts'
import type { HttpReply } from '../../../http/http-reply.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import type { AssetStore } from './asset-store.ts'
import { type BrandingKind, isKind } from './branding.ts'

const schemas = () => import('./schemas.ts')

/** What the routes need. */
export interface BrandingWriteParts {
  readonly assets: AssetStore
  readonly bodies: BodyReader
  /** Gives the branding as it is now. */
  readonly reply: () => HttpReply
}

const PATH = '/api/branding/asset/:kind'
const shared = { path: PATH, access: 'admin', family: 'flat', tag: 'branding' } as const
const done = { description: 'The branding.', schema: async () => (await schemas()).brandingReply }

/** `POST` and `DELETE /api/branding/asset/:kind`. */
export function brandingWriteRoutes({ assets, bodies, reply }: BrandingWriteParts): Route[] {
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
        await assets.set(kind, await readUpload(call, bodies))
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

/** Reads the field `file` of a form. @throws {SvcError} `invalid_request` without one */
async function readUpload(call: Call, bodies: BodyReader): Promise<Uint8Array> {
  const held = await bodies.read(call)
  try {
    const contentType = call.header('content-type') ?? ''
    // The form reader of the platform: an upload of an image is rare, and its bytes are bounded.
    const form = await new Response(Buffer.from(held.bytes), { headers: { 'content-type': contentType } })
      .formData()
      .catch(() => undefined)
    const file = form?.get('file')
    if (!(file instanceof Blob)) throw new SvcError('invalid_request', 'file is required')
    return new Uint8Array(await file.arrayBuffer())
  } finally {
    held.release()
  }
}
