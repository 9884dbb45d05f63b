import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

/** Body of `POST /v1/rerank` and of its vendors' aliases. */
export const rerankRequest = z.looseObject({
  model: z.string().nullish(),
  query: z.string(),
  documents: endAtFirstFault(z.array(z.union([z.string(), z.looseObject({ text: z.string() })]))),
  /** Results wanted, at least 1; more than there are documents means all. @default all */
  top_n: z.int().nullish(),
  /** @default true */
  return_documents: z.boolean().nullish(),
})

/** One document with its score for the query. */
export const rerankResult = z.looseObject({
  /** Place of the document in the request. */
  index: z.int().min(0),
  /** Absent with `return_documents: false`. */
  document: z.looseObject({ text: z.string() }).exactOptional(),
  relevance_score: z.number(),
})

/** Reply of `POST /v1/rerank`, the best document first. Clients of some vendors read the token counts from `meta`. */
export const rerankReply = z.looseObject({
  id: z.string(),
  model: z.string(),
  usage: z.looseObject({ total_tokens: z.int().min(0), prompt_tokens: z.int().min(0) }),
  results: z.array(rerankResult),
  meta: z.looseObject({ tokens: z.looseObject({ input_tokens: z.int().min(0) }) }),
})

/** Body of `POST /v1/rerank`. */
export type RerankRequest = z.infer<typeof rerankRequest>
/** One document with its score for the query. */
export type RerankResult = z.infer<typeof rerankResult>
/** Reply of `POST /v1/rerank`. */
export type RerankReply = z.infer<typeof rerankReply>
