import * as z from 'zod'

/** Query of every route of collections. */
export const ownerQuery = z.object({
  user_id: z
    .string()
    .optional()
    .describe('Id of the account whose collections are meant. The caller is meant without.'),
})

/** Reply of `GET /api/agents/collections`. */
export const collectionList = z.object({ collections: z.array(z.string()), count: z.int() })

/** Body of `POST /api/agents/collections`. */
export const collectionDraft = z.object({ name: z.string().describe('1 to 128 bytes without slashes.') })

/** Reply of `POST /api/agents/collections`. */
export const collectionMade = z.object({ status: z.string(), name: z.string() })

/** Form of an upload. */
export const uploadForm = z.object({ file: z.string().meta({ format: 'binary' }).describe('The document.') })

/** Reply of an upload. The document is indexed in the background. */
export const uploadReply = z.object({ status: z.string(), filename: z.string() })

/** Body of a search. */
export const searchBody = z.object({
  query: z.string().min(1).max(65_536),
  max_results: z.int().min(0).max(50).optional().describe('5 when it is left out or 0.'),
})

/** Reply of a search. */
export const searchReply = z.object({
  results: z.array(
    z.object({
      id: z.string(),
      content: z.string(),
      similarity: z.number(),
      metadata: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])),
    }),
  ),
  count: z.int(),
})

/** Reply of a change. */
export const statusReply = z.object({ status: z.string() })

/** Reply of `GET /api/agents/collections/:name/entries`. */
export const entryList = z.object({
  entries: z.array(z.string()),
  count: z.int(),
  details: z.array(
    z.object({
      entry: z.string(),
      status: z.enum(['in_progress', 'completed', 'failed', 'cancelled']),
      error: z.string().optional(),
      chunk_count: z.int(),
      created_at: z.string(),
      source_url: z.string().optional(),
    }),
  ),
})

/** Reply of `GET /api/agents/collections/:name/entries/*`. */
export const entryContent = z.object({ content: z.string(), chunk_count: z.int() })

/** Body of `DELETE /api/agents/collections/:name/entry/delete`. */
export const entryBody = z.object({ entry: z.string() })

/** Its reply. */
export const remainingEntries = z.object({ remaining_entries: z.array(z.string()), count: z.int() })

/** Body of `POST /api/agents/collections/:name/sources`. */
export const sourceBody = z.object({
  url: z.string(),
  update_interval: z
    .int()
    .max(525_600)
    .optional()
    .describe('Minutes between two fetches, 60 when it is left out or below 1.'),
})

/** Body of `DELETE /api/agents/collections/:name/sources`. */
export const sourceRemoval = z.object({ url: z.string() })

/** Reply of `GET /api/agents/collections/:name/sources`. */
export const sourceList = z.object({
  sources: z.array(
    z.object({
      url: z.string(),
      update_interval: z.int(),
      last_update: z.string(),
      error: z.string().optional(),
    }),
  ),
  count: z.int(),
})
