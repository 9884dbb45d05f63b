import * as z from 'zod'

const count = z.int().min(0)

/** The kind of proof by which the caller of a request was identified. */
export const usageSource = z.enum(['apikey', 'web', 'legacy'])

/** Figures of some requests. */
const figures = {
  /** Prompt tokens that came from a cache are among them. */
  prompt_tokens: count,
  /** Tokens of thoughts are among them. */
  completion_tokens: count,
  total_tokens: count,
  request_count: count,
  /** Prompt tokens that came from a cache, as far as the servers that answered say; absent without any. */
  cached_tokens: count.exactOptional(),
  /** Completion tokens that were thoughts, as far as the servers that answered say; absent without any. */
  reasoning_tokens: count.exactOptional(),
  /** Tokens among `total_tokens` that are an estimate, because an upstream sent no figures; absent without any. */
  estimated_tokens: count.exactOptional(),
  /** Requests among `request_count` whose tokens are an estimate; absent without any. */
  estimated_request_count: count.exactOptional(),
  /** Length of sound and film, in seconds with fractions; absent without any. */
  media_seconds: z.number().min(0).exactOptional(),
  /** Characters of text that became sound; absent without any. */
  spoken_characters: count.exactOptional(),
  /** Images that were made; absent without any. */
  images: count.exactOptional(),
  /** Prompt tokens that were written to a cache, as far as the servers that answered say; absent without any. */
  cache_write_tokens: count.exactOptional(),
  /** Requests among `request_count` whose cost is unknown; absent without any, and where no costs were counted. */
  unpriced_request_count: count.exactOptional(),
}

/** Costs by currency, those of requests of unknown cost left out; absent where none is known. */
const costs = z
  .array(
    z.looseObject({
      /** ISO 4217 code. */
      currency: z.string(),
      /** Whole millionths of the currency. */
      cost_micros: count,
    }),
  )
  .exactOptional()

/** Figures of requests whose costs may be in several currencies. */
const totals = { ...figures, costs }

/** Requests of one time bucket, account, source, key, model and currency. */
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
  ...figures,
  /** ISO 4217 code of the currency in which costs were counted; absent where none were. */
  currency: z.string().exactOptional(),
  /** Known costs in whole millionths of `currency`; absent where no cost is known. */
  cost_micros: count.exactOptional(),
})

/** Requests of one time bucket with the same end user, or with the same value of a tag. */
export const usageGroup = z.looseObject({
  /** As in {@link usageRow}. */
  bucket: z.string(),
  /** The end user or the value; `(other)`: all further ones. */
  value: z.string(),
  ...figures,
  /** ISO 4217 code of the currency in which costs were counted; absent where none were. */
  currency: z.string().exactOptional(),
  /** Known costs in whole millionths of `currency`; absent where no cost is known. */
  cost_micros: count.exactOptional(),
})

/** Reply of `GET /api/auth/usage` and `GET /api/auth/admin/usage`. */
export const usageReply = z.looseObject({
  /** In the order of the buckets; empty where `groups` has the rows. */
  usage: z.array(usageRow),
  /** `end_user` or `tag:NAME`, as asked. */
  group_by: z.string().exactOptional(),
  /** Sums by value, in the order of the buckets; only with `group_by`. */
  groups: z.array(usageGroup).exactOptional(),
  totals: z.looseObject(totals),
})

/** Reply of `GET /api/usage` and `GET /api/usage/all`. */
export const usageView = usageReply.extend({
  /** Most tokens first. */
  by_model: z.array(z.looseObject({ model: z.string(), ...totals })),
  /** The caller. */
  viewer: z.looseObject({
    id: z.string(),
    name: z.string(),
    role: z.enum(['admin', 'user', 'none']),
    provider: z.string(),
  }),
})

/** Tokens, requests and costs together. */
export const usageTotal = z.looseObject({
  tokens: count,
  requests: count,
  costs,
  unpriced_request_count: figures.unpriced_request_count,
})

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

/** Requests of one time bucket, account, source, key, model and currency. */
export type WireUsageRow = z.infer<typeof usageRow>
/** Requests of one time bucket with the same end user, or with the same value of a tag. */
export type WireUsageGroup = z.infer<typeof usageGroup>
/** Usage over time. */
export type UsageReply = z.infer<typeof usageReply>
/** Usage over time, with sums by model and who asks. */
export type UsageView = z.infer<typeof usageView>
/** Usage by source and key. */
export type UsageSourcesReply = z.infer<typeof usageSourcesReply>
