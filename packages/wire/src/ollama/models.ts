import * as z from 'zod'

/** Known facts about a model's weights; an unknown fact is empty text. */
export const ollamaModelDetails = z.looseObject({
  parent_model: z.string(),
  format: z.string(),
  family: z.string(),
  families: z.array(z.string()),
  parameter_size: z.string(),
  quantization_level: z.string(),
})

const entry = {
  name: z.string(),
  model: z.string(),
  /** Bytes of its weights. */
  size: z.int().min(0),
  /** Stable and different for each name. */
  digest: z.string(),
  details: ollamaModelDetails,
}

/** An entry of `GET /api/tags`. */
export const ollamaModel = z.looseObject({
  ...entry,
  /** RFC 3339. */
  modified_at: z.string(),
  capabilities: z.array(z.string()),
})

/** Reply of `GET /api/tags`. */
export const ollamaTagsReply = z.looseObject({ models: z.array(ollamaModel) })

/** An entry of `GET /api/ps`: a model in memory. */
export const ollamaRunningModel = z.looseObject({
  ...entry,
  /** Time at which it leaves the memory, RFC 3339. */
  expires_at: z.string(),
  /** Bytes on graphics devices. */
  size_vram: z.int().min(0),
  context_length: z.int().min(0),
})

/** Reply of `GET /api/ps`. */
export const ollamaPsReply = z.looseObject({ models: z.array(ollamaRunningModel) })

/** Body of `POST /api/show`; `name` is the older word for `model`. */
export const ollamaShowRequest = z.looseObject({
  model: z.string().nullish(),
  name: z.string().nullish(),
  verbose: z.boolean().nullish(),
})

/** Reply of `POST /api/show`. */
export const ollamaShowReply = z.looseObject({
  modelfile: z.string(),
  /** One parameter a line, its name first. */
  parameters: z.string(),
  template: z.string(),
  system: z.string().exactOptional(),
  details: ollamaModelDetails,
  /** Facts of the weights, by their names in GGUF files. */
  model_info: z.record(z.string(), z.unknown()),
  capabilities: z.array(z.string()),
  /** RFC 3339. */
  modified_at: z.string(),
})

/** Reply of `GET /api/version`. */
export const ollamaVersionReply = z.looseObject({ version: z.string() })

/** Known facts about a model's weights. */
export type OllamaModelDetails = z.infer<typeof ollamaModelDetails>
/** An entry of `GET /api/tags`. */
export type OllamaModel = z.infer<typeof ollamaModel>
/** Reply of `GET /api/tags`. */
export type OllamaTagsReply = z.infer<typeof ollamaTagsReply>
/** An entry of `GET /api/ps`. */
export type OllamaRunningModel = z.infer<typeof ollamaRunningModel>
/** Reply of `GET /api/ps`. */
export type OllamaPsReply = z.infer<typeof ollamaPsReply>
/** Body of `POST /api/show`. */
export type OllamaShowRequest = z.infer<typeof ollamaShowRequest>
/** Reply of `POST /api/show`. */
export type OllamaShowReply = z.infer<typeof ollamaShowReply>
/** Reply of `GET /api/version`. */
export type OllamaVersionReply = z.infer<typeof ollamaVersionReply>
