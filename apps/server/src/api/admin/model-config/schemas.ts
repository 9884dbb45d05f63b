import * as z from 'zod'

/** Body of `PATCH /api/models/config-json/:name`. */
export const patchBody = z.record(z.string(), z.unknown())

/** Body of `POST /models/import` and `POST /models/edit/:name`. */
export const fileText = z.string().describe('The model file: YAML, or JSON.')

/** Body of `POST /api/models/preview/:name`. */
export const previewBody = z
  .union([patchBody, fileText])
  .describe('Keys to set as `application/json`, `null` to remove one; or the whole file as `application/yaml`.')

/** Reply of `POST /api/models/preview/:name`. */
export const configPreview = z.object({
  filename: z.string(),
  config_revision: z.string().describe('Of the file as it is, for `If-Match` of the change.'),
  config: z.string().describe('The file after the change, YAML.'),
  diff: z.string().describe('The difference in unified form; empty where nothing changes.'),
})

/** Body of `POST /api/models/copy/:name`. */
export const copyBody = z.strictObject({ name: z.string().min(1).describe('Name of the copy.') })

/** Reply of the routes that write a model file. */
export const configWritten = z.object({
  success: z.literal(true),
  message: z.string(),
  filename: z.string(),
  config_revision: z.string().describe('For `If-Match` of the next change.'),
  pending_cleanup: z.int(),
})

/** Reply of `GET /models/edit/:name`. */
export const configText = z.object({
  config: z.string().describe('YAML.'),
  name: z.string(),
  filename: z.string(),
  config_revision: z.string().describe('Changes with every change of the text; also the `ETag`.'),
})

/** Reply of `GET /api/aliases`. */
export const aliasList = z.array(z.object({ name: z.string(), target: z.string() }))

/** {@link configText} */
export type ConfigText = z.output<typeof configText>
