import * as z from 'zod'
import { endAtFirstFault } from '../first-fault.ts'

/** What a text may be moderated for, in the order of the format. */
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

/** Body of `POST /v1/moderations`: one text or several. Parts with images, which the format knows too, are not taken. */
export const moderationRequest = z.looseObject({
  model: z.string().nullish(),
  input: z.union([z.string(), endAtFirstFault(z.array(z.string()))]),
})

const category = z.enum(MODERATION_CATEGORIES)

/** What was found in one text. */
export const moderationResult = z.looseObject({
  /** Whether any category holds. */
  flagged: z.boolean(),
  categories: z.record(category, z.boolean()),
  /** How much of each category the text has, 0..1. */
  category_scores: z.record(category, z.number().min(0).max(1)),
  /** Which kinds of input each score is of. */
  category_applied_input_types: z.record(category, z.array(z.literal('text'))),
})

/** Reply of `POST /v1/moderations`: a result for each text, in their order. */
export const moderation = z.looseObject({
  id: z.string(),
  model: z.string(),
  results: z.array(moderationResult),
})

/** What a text may be moderated for. */
export type ModerationCategory = (typeof MODERATION_CATEGORIES)[number]
/** Body of `POST /v1/moderations`. */
export type ModerationRequest = z.infer<typeof moderationRequest>
/** What was found in one text. */
export type ModerationResult = z.infer<typeof moderationResult>
/** A whole reply. */
export type Moderation = z.infer<typeof moderation>
