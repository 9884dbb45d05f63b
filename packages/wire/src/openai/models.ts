import * as z from 'zod'

/** One model of the list; `created` is in seconds. */
export const model = z.looseObject({
  id: z.string(),
  object: z.literal('model'),
  created: z.int(),
  owned_by: z.string(),
})

/** Reply of `GET /v1/models`, sorted by id. */
export const modelList = z.looseObject({ object: z.literal('list'), data: z.array(model) })

const modality = z.enum(['text', 'image', 'audio', 'video', '3d'])

/** One model of `GET /v1/models/capabilities`. */
export const modelWithCapabilities = z.looseObject({
  ...model.shape,
  capabilities: z.array(z.string()),
  input_modalities: z.array(modality),
  output_modalities: z.array(modality),
  /** Whether it serves requests that name no model. */
  default: z.boolean().optional(),
  /** Whether private data in requests is masked or refused. */
  filtered: z.boolean().optional(),
  /** Whether its file names servers of tools. */
  tools: z.boolean().optional(),
  /** Whether administrators can read its requests and answers in traces. */
  traced: z.boolean().optional(),
})

/** Reply of `GET /v1/models/capabilities`. */
export const modelCapabilitiesList = z.looseObject({
  object: z.literal('list'),
  data: z.array(modelWithCapabilities),
})

/** One model of the list. */
export type Model = z.infer<typeof model>
/** Reply of `GET /v1/models`. */
export type ModelList = z.infer<typeof modelList>
/** One model with its capabilities. */
export type ModelWithCapabilities = z.infer<typeof modelWithCapabilities>
/** Reply of `GET /v1/models/capabilities`. */
export type ModelCapabilitiesList = z.infer<typeof modelCapabilitiesList>
