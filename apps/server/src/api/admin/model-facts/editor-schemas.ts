import * as z from 'zod'

const section = z.object({ id: z.string(), label: z.string(), url: z.string() })
const field = z.object({
  path: z.string(),
  yaml_key: z.string(),
  go_type: z.string(),
  ui_type: z.string(),
  section: z.string(),
  label: z.string(),
  description: z.string().optional(),
  component: z.string(),
  options: z.array(z.object({ value: z.string(), label: z.string() })).optional(),
  min: z.number().optional(),
  max: z.number().optional(),
  autocomplete_provider: z.string().optional(),
  vram_impact: z.boolean().optional(),
  advanced: z.boolean().optional(),
  order: z.int(),
})

/** Reply of `GET /api/models/config-metadata`: the sections, or with `section` the keys. */
export const configMetadata = z.union([
  z.object({
    hint: z.string(),
    schema: z.string().describe('The address of the JSON Schema of model files.'),
    sections: z.array(section),
  }),
  z.array(field),
])

/** Reply of `GET /api/models/config-schema`. */
export const jsonSchema = z.looseObject({ $schema: z.string() })

/** Reply of `GET /api/models/config-json/:name`: every key, null where nothing sets it. */
export const modelConfig = z.looseObject({ name: z.string().optional() })
