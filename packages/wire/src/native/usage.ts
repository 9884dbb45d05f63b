import * as z from 'zod'

const count = z.int().min(0)

/** How the caller of a request had proven who it is. */
export const usageSource = z.enum(['apikey', 'web', 'legacy'])

/** Requests of one time bucket, account, source, key and model. */
export const usageRow = z.looseObject({
  /** Label in UTC: `2026-01-31 23:00`, `2026-01-31` or `2026-01`. */
  bucket: z.string(),
  model: z.string(),
  user_id: z.string(),
  /** As it was at the time. */
  user_name: z.string(),
  source: usageSource,
  /** Only for the source `apikey`. */
  api_key_id: z.string().exactOptional(),
  /** As it was at the time; only for the source `apikey`. */
  api_key_name: z.string().exactOptional(),
  prompt_tokens: count,
  completion_tokens: count,
  total_tokens: count,
  request_count: count,
})

/** Reply of `GET /api/auth/usage` and `GET /api/auth/admin/usage`. */
export const usageReply = z.looseObject({
  /** In the order of the buckets. */
  usage: z.array(usageRow),
  totals: z.looseObject({ prompt_tokens: count, completion_tokens: count, total_tokens: count, request_count: count }),
})

/** Tokens and requests together. */
export const usageTotal = z.looseObject({ tokens: count, requests: count })

/** Usage of one key. */
export const usageOfKey = usageTotal.extend({
  api_key_id: z.string(),
  api_key_name: z.string(),
  user_id: z.string(),
  user_name: z.string(),
  last_used: z.iso.datetime(),
})

/** Usage of one account without keys of its own. */
export const usageOfUser = usageTotal.extend({ source: usageSource, user_id: z.string(), user_name: z.string() })

/** Reply of `GET /api/auth/usage/sources` and `GET /api/auth/admin/usage/sources`. */
export const usageSourcesReply = z.looseObject({
  /** As the rows of usage, without models. */
  buckets: z.array(usageRow.omit({ model: true })),
  totals: z.looseObject({
    by_source: z.partialRecord(usageSource, usageTotal),
    /** Most tokens first; at most 200. */
    by_key: z.array(usageOfKey),
    /** Only for admins. */
    by_user_source: z.array(usageOfUser).exactOptional(),
    grand_total: usageTotal,
  }),
  /** Whether more keys were used than are listed. */
  truncated: z.boolean(),
})

/** Requests of one time bucket, account, source, key and model. */
export type WireUsageRow = z.infer<typeof usageRow>
/** Usage over time. */
export type UsageReply = z.infer<typeof usageReply>
/** Usage by source and key. */
export type UsageSourcesReply = z.infer<typeof usageSourcesReply>
