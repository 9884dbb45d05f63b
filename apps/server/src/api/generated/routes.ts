import { createReadStream } from 'node:fs'
import { SvcError } from '@svc/errors'
import type { GeneratedFile, GeneratedFiles } from '../../generated-files/generated-files.ts'
import { GENERATED_KINDS, type GeneratedKind } from '../../generated-files/kinds.ts'
import type { Call } from '../../http/call.ts'
import type { CompressionPolicy } from '../../http/compression.ts'
import { ALREADY_SENT } from '../../http/http-reply.ts'
import { createReplyWriter } from '../../http/reply-writer.ts'
import { defineRoute, type Route } from '../../http/route.ts'
import { type Content, writeContent } from '../../inference/replies/content.ts'

const SUMMARIES: Readonly<Record<GeneratedKind, string>> = {
  audio: 'Get sound that a model made',
  images: 'Get an image that a model made',
  videos: 'Get a video that a model made',
  '3d': 'Get a scene that a model made',
}
const KINDS = Object.keys(GENERATED_KINDS) as readonly GeneratedKind[]

/** Parts of the routes. */
export interface GeneratedFileParts {
  readonly generatedFiles: Pick<GeneratedFiles, 'find'>
  readonly compression: CompressionPolicy
}

/** `GET /generated-images/:name`, and the same for the other kinds. */
export function generatedFileRoutes({ generatedFiles: files, compression }: GeneratedFileParts): Route[] {
  return KINDS.map((kind) =>
    defineRoute({
      method: 'GET',
      path: `/${GENERATED_KINDS[kind]}/:name`,
      access: 'any',
      family: 'compatible',
      tag: 'generated',
      summary: SUMMARIES[kind],
      responses: {
        200: { description: 'The file.', contentType: '*/*' },
        206: { description: 'The part of the file that the header `range` names.', contentType: '*/*' },
        404: { description: 'No such file, or one of another user.' },
      },
      async handler(call) {
        const file = await files.find(kind, call.param('name'), toReader(call))
        if (file === undefined) throw new SvcError('not_found', 'there is no such file')
        await writeContent(createReplyWriter(call, { compression }), toContent(file), { request: call })
        return ALREADY_SENT
      },
    }),
  )
}

function toReader({ principal }: Call): { readonly id: string; readonly isAdmin: boolean } {
  return { id: principal.id, isAdmin: principal.role === 'admin' }
}

function toContent({ path, mediaType, sizeBytes }: GeneratedFile): Content {
  return {
    mediaType,
    length: sizeBytes,
    hasRanges: true,
    read: (range) => createReadStream(path, range && { start: range.start, end: range.end - 1 }),
  }
}
