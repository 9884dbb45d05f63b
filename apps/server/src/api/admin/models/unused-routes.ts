import type * as z from 'zod'
import type { ModelGallery } from '../../../galleries/model-gallery.ts'
import type { UnusedFile } from '../../../galleries/unused/find-unused.ts'
import type { BodyReader } from '../../../http/body.ts'
import { json } from '../../../http/json.ts'
import { defineRoute, type Route } from '../../../http/route.ts'
import { readJsonBody } from '../../read-json-body.ts'
import type { prunedFiles, unusedFile, unusedFiles } from './schemas.ts'

/** Parts of the routes of unused files. */
export interface UnusedRouteParts {
  readonly gallery: Pick<ModelGallery, 'findUnused' | 'prune'>
  readonly bodies: BodyReader
}

const shared = { access: 'admin', family: 'flat', tag: 'models' } as const
const schemas = () => import('./schemas.ts')

/** Files of the models folder that nothing needs: a list, and their deletion. */
export function unusedRoutes({ gallery, bodies }: UnusedRouteParts): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/models/unused',
      summary: 'Weights, partial downloads and snapshots that no model needs, with their sizes',
      responses: {
        200: { description: 'In the order of their paths.', schema: async () => (await schemas()).unusedFiles },
        409: { description: 'A model file cannot be read, and may name any file.' },
      },
      async handler(call) {
        const { files, installing } = await gallery.findUnused(call)
        return json({
          files: files.map(toWire),
          size_bytes: sumSizes(files),
          selected_bytes: sumSizes(files.filter(({ isSelected }) => isSelected)),
          installing,
        } satisfies z.input<typeof unusedFiles>)
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/models/prune',
      summary: 'Delete files that no model needs: the named ones, or all selected ones',
      audit: { change: 'model.prune' },
      body: async () => (await schemas()).pruneRequest,
      responses: {
        200: { description: 'The files are deleted.', schema: async () => (await schemas()).prunedFiles },
        404: { description: 'A named file is not unused; nothing was deleted.' },
        409: { description: 'A model file cannot be read, and may name any file.' },
      },
      async handler(call) {
        const { files: names } = await readJsonBody(call, (await schemas()).pruneRequest, bodies)
        const { removed, failed, stopped, installing } = await gallery.prune(names, call)
        const freed = sumSizes(removed)
        const listed = removed.map(({ path }) => path).join(', ')
        call.noteChange({ details: `${removed.length} files, ${freed} bytes${listed === '' ? '' : `: ${listed}`}` })
        return json({
          removed: removed.map(toWire),
          failed: failed.map(({ path, reason }) => ({ file: path, error: reason })),
          freed_bytes: freed,
          stopped,
          installing,
        } satisfies z.input<typeof prunedFiles>)
      },
    }),
  ]
}

function toWire({ path, kind, sizeBytes, modifiedAt, isSelected }: UnusedFile): z.input<typeof unusedFile> {
  const modified = new Date(modifiedAt).toISOString()
  return { file: path, kind, size_bytes: sizeBytes, modified_at: modified, selected: isSelected }
}

function sumSizes(files: readonly UnusedFile[]): number {
  return files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
}
