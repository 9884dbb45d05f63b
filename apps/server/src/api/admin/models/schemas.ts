import * as z from 'zod'

/** Reply of `POST /models/reload`. */
export const reloadReply = z.object({
  success: z.boolean(),
  message: z.string(),
  pending_cleanup: z.int(),
  details: z.array(z.string()).optional(),
})

/** Body of `POST /api/models/uploads`. */
export const uploadRequest = z.object({
  filename: z.string().min(1).describe('With `.gguf` at its end.'),
  name: z.string().optional().describe('Of the model; the name of the file when it is left out.'),
  size_bytes: z.int().min(1).describe('Of the whole file.'),
})

/** Progress of an upload. */
export const uploadState = z.object({
  id: z.string(),
  name: z.string().describe('Of the model that it becomes.'),
  size_bytes: z.int(),
  received_bytes: z.int().describe('Where the next piece begins.'),
  piece_bytes: z.int().describe('Largest piece.'),
})

/** Query of `PUT /api/models/uploads/:id`. */
export const pieceQuery = z.object({ offset: z.string().describe('Bytes of the file before the piece.') })

/** Body of `PUT /api/models/uploads/:id`. */
export const piece = z.string().meta({ format: 'binary' }).describe('Bytes of the file.')

/** Reply of `POST /api/models/uploads/:id/finish`. */
export const addedModel = z.object({
  name: z.string(),
  filename: z.string().describe('The model file.'),
  weights_file: z.string(),
  size_bytes: z.int(),
})

/** Reply of `DELETE /api/models/uploads/:id`. */
export const dropped = z.object({ success: z.literal(true) })

/** One file, or one hidden folder, that nothing needs. */
export const unusedFile = z.object({
  file: z.string().describe('Relative to the models folder.'),
  kind: z
    .enum(['variant', 'partial', 'snapshot', 'other'])
    .describe('`variant` was installed here before, `other` are weights that this server has not fetched.'),
  size_bytes: z.int(),
  modified_at: z.string().meta({ format: 'date-time' }),
  selected: z.boolean().describe('Whether it goes without being named.'),
})

/** Reply of `GET /api/models/unused`. */
export const unusedFiles = z.object({
  files: z.array(unusedFile),
  size_bytes: z.int(),
  selected_bytes: z.int(),
  installing: z
    .array(z.string())
    .readonly()
    .describe('Models that are being installed; files that they may need are left out.'),
})

/** Body of `POST /api/models/prune`. */
export const pruneRequest = z.strictObject({
  files: z
    .array(z.string().min(1))
    .max(10_000)
    .optional()
    .describe('Names of unused files; all selected ones when it is left out.'),
})

/** Reply of `POST /api/models/prune`. */
export const prunedFiles = z.object({
  removed: z.array(unusedFile),
  failed: z.array(z.object({ file: z.string(), error: z.string() })),
  freed_bytes: z.int(),
  stopped: z
    .enum(['installation', 'aborted'])
    .optional()
    .describe('Why selected files are left: an installation was asked for meanwhile, or the client left.'),
  installing: z.array(z.string()).readonly(),
})
