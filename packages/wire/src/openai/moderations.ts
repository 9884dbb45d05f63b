import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

/** Categories of moderation, in the order of the format. */
export const MODERATION_CATEGORIES = [
  'harassment',
  'harassment/threatening',
  'hate',
  'hate/threatening',
  'illicit',
  'illicit/violent',
  'self-harm',
  'self-harm/intent',
  'self-harm/instructions',
  'sexual',
  'sexual/minors',
  'violence',
  'violence/graphic',
] as const

/** Body of `POST /v1/moderations`: one text or several. Parts with images, which the format also has, are refused. */
export const moderationRequest = z.looseObject({
  model: z.string().nullish(),
  input: z.union([z.string(), endAtFirstFault(z.array(z.string()))]),
})

const category = z.enum(MODERATION_CATEGORIES)

/** The result for one text. */
export const moderationResult = z.looseObject({
  /** Whether any category applies. */
  flagged: z.boolean(),
  categories: z.record(category, z.boolean()),
  /** Score of each category, 0..1. */
  category_scores: z.record(category, z.number().min(0).max(1)),
  /** Input types behind each score. */
  category_applied_input_types: z.record(category, z.array(z.literal('text'))),
})

/** Reply of `POST /v1/moderations`: a result for each text, in their order. */
export const moderation = z.looseObject({
  id: z.string(),
  model: z.string(),
  results: z.array(moderationResult),
})

/** A category of moderation. */
export type ModerationCategory = (typeof MODERATION_CATEGORIES)[number]
/** Body of `POST /v1/moderations`. */
export type ModerationRequest = z.infer<typeof moderationRequest>
/** The result for one text. */
export type ModerationResult = z.infer<typeof moderationResult>
/** A whole reply. */
export type Moderation = z.infer<typeof moderation>
