import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { SvcError } from '@svc/errors'
import type * as z from 'zod'
import { HttpReply } from '../../../http/http-reply.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { MAX_ASSET_BYTES } from '../../../settings/branding-limits.ts'
import type { brandingReply } from './schemas.ts'

/** The operator's branding; fields that are not set are empty. */
export interface Branding {
  readonly instanceName: string
  readonly instanceTagline: string
  /** File names inside the branding folder, by kind. */
  readonly files: Readonly<Record<BrandingKind, string>>
}

const KINDS = ['logo', 'logo_horizontal', 'favicon'] as const
/** The images that can be set. */
export type BrandingKind = (typeof KINDS)[number]

const DEFAULTS: Readonly<Record<BrandingKind, string>> = {
  logo: '/favicon.svg',
  logo_horizontal: '/favicon.svg',
  favicon: '/favicon.svg',
}

const TYPES: Readonly<Record<string, string>> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  svg: 'image/svg+xml',
  webp: 'image/webp',
  ico: 'image/x-icon',
}

/** Whether a text names an image. */
export function isKind(value: string): value is BrandingKind {
  return (KINDS as readonly string[]).includes(value)
}

function notSet(): SvcError {
  return new SvcError('not_found', 'no such branding asset')
}

/** Reads one asset. It must be a regular file of the branding folder and no link. */
async function readAsset(folder: string, name: string): Promise<Uint8Array<ArrayBuffer>> {
  if (name === '' || basename(name) !== name) throw notSet()
  const file = await open(join(folder, name), constants.O_RDONLY | constants.O_NOFOLLOW).catch(() => undefined)
  if (file === undefined) throw notSet()
  try {
    const { size } = await file.stat()
    if (size > MAX_ASSET_BYTES) throw notSet()
    return new Uint8Array(await file.readFile())
  } finally {
    await file.close()
  }
}

const SVG_HEADERS = {
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
  'cross-origin-resource-policy': 'same-origin',
}

/** Answers with the branding. */
export function replyWithBranding({ instanceName, instanceTagline, files }: Branding): HttpReply {
  const url = (kind: BrandingKind): string => (files[kind] === '' ? DEFAULTS[kind] : `/branding/asset/${kind}`)
  return json({
    instance_name: instanceName,
    instance_tagline: instanceTagline,
    logo_url: url('logo'),
    logo_horizontal_url: url('logo_horizontal'),
    favicon_url: url('favicon'),
  } satisfies z.infer<typeof brandingReply>)
}

/** `GET /api/branding` and its assets (§4.1); they change with the settings. */
export function brandingRoutes(options: { branding: () => Branding; folder: string }): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/branding',
      access: 'none',
      family: 'flat',
      tag: 'branding',
      summary: 'Name and look of this instance',
      responses: {
        200: {
          description: 'Defaults where nothing was set.',
          schema: async () => (await import('./schemas.ts')).brandingReply,
        },
      },
      handler: () => replyWithBranding(options.branding()),
    }),
    defineRoute({
      method: 'GET',
      path: '/branding/asset/:kind',
      access: 'none',
      family: 'flat',
      tag: 'branding',
      summary: 'An image the operator has set',
      responses: { 200: { description: 'The image.', contentType: 'image/*' }, 404: { description: 'Not set.' } },
      async handler(call) {
        const kind = call.param('kind')
        if (!isKind(kind)) throw notSet()
        const name = options.branding().files[kind]
        const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
        const contentType = Object.hasOwn(TYPES, extension) ? TYPES[extension] : undefined
        if (contentType === undefined) throw notSet()
        const body = await readAsset(options.folder, name)
        return new HttpReply(body, {
          headers: {
            'content-type': contentType,
            'cache-control': 'public, max-age=300',
            ...(extension === 'svg' ? SVG_HEADERS : {}),
          },
        })
      },
    }),
  ]
}
