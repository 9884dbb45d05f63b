import * as z from 'zod'

/** Reply of `GET /api/models/capabilities`. */
export const capabilitiesReply = z.object({
  data: z.array(
    z.object({
      id: z.string(),
      capabilities: z.array(z.string()),
      backend: z.string(),
      disabled: z.boolean(),
      pinned: z.boolean(),
      voice_cloning: z.boolean().optional(),
      tools: z.boolean().optional().describe('Whether its file names servers of tools.'),
      source: z.string().optional(),
    }),
  ),
})

/** Reply of `GET /api/pipeline-models`. */
export const pipelineReply = z.array(
  z.object({
    name: z.string(),
    vad: z.string(),
    transcription: z.string(),
    llm: z.string(),
    tts: z.string(),
    voice: z.string(),
    scanned: z.boolean().describe('Whether turns pass the filter for private data.'),
    self_contained: z.literal(true).optional(),
  }),
)

/** Reply of `GET /api/models/:id/load-status`. */
export const loadStatus = z.object({
  model: z.string(),
  state: z
    .enum(['pending', 'installing', 'staging', 'loading'])
    .describe('On one machine `installing` or `loading`. `staging`: its files are sent to a worker.'),
  node: z.string().optional().describe('The worker, once one is chosen.'),
  progress: z.number().describe('From 0 to 1.'),
  bytes_sent: z.int(),
  total_bytes: z.int(),
  file_index: z.int(),
  total_files: z.int(),
  eta_seconds: z.int().optional().describe('Time until its files are sent.'),
})

/** Query of `GET /api/models/config-metadata`. */
export const sectionQuery = z.object({ section: z.string().optional().describe('Id of a section, or `all`.') })

/** Reply of `GET /api/models/config-metadata/autocomplete/:provider`. */
export const completions = z.object({ values: z.array(z.string()) })
