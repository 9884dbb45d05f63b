import * as z from 'zod'

/** Purposes of uploaded files. */
export const FILE_PURPOSES = ['assistants', 'batch', 'fine-tune', 'vision', 'user_data', 'evals'] as const

/** What an uploaded file is for. */
export const filePurpose = z.enum(FILE_PURPOSES)

/** Text fields of the form of `POST /v1/files`; the file itself is the field `file`. */
export const fileForm = z.looseObject({
  purpose: filePurpose,
  'expires_after[anchor]': z.literal('created_at').nullish(),
  /** Seconds as text, 3600 to 2592000. */
  'expires_after[seconds]': z.string().nullish(),
})

/** An uploaded file. */
export const fileObject = z.looseObject({
  id: z.string(),
  object: z.literal('file'),
  bytes: z.int().min(0),
  /** Unix seconds. */
  created_at: z.int(),
  /** Unix seconds. Absent for a file that does not expire. */
  expires_at: z.int().exactOptional(),
  filename: z.string(),
  purpose: z.string(),
  status: z.enum(['uploaded', 'processed', 'error']),
})

/** A page of a list, with the ids of its first and last items. */
export const toPageSchema = <Item extends z.ZodType>(item: Item) =>
  z.looseObject({
    object: z.literal('list'),
    data: z.array(item),
    first_id: z.string().nullable(),
    last_id: z.string().nullable(),
    has_more: z.boolean(),
  })

/** A page of uploaded files. */
export const fileList = toPageSchema(fileObject)

/** Reply of `DELETE /v1/files/:file_id`. */
export const fileDeleted = z.looseObject({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) })

/** An uploaded file. */
export type FileObject = z.infer<typeof fileObject>
/** A page of uploaded files. */
export type FileList = z.infer<typeof fileList>
/** Text fields of the form of `POST /v1/files`. */
export type FileForm = z.infer<typeof fileForm>
